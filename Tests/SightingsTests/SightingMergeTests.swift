import Beacons
import Foundation
import Primitives
import TestVectors
import Testing

@testable import Sightings

@Suite struct SightingMergeTests {
    @Test(
        "merging the parts of a random stream equals one pass over it", arguments: UInt64(0)..<400)
    func anySplit(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...80, using: &generator)
        let stream = Stream(count: count, using: &generator)
        let once = try #require(stream.sighting(of: 0..<count))
        for _ in 0..<10 {
            let merged = try #require(stream.merged(0..<count, using: &generator))
            expectEqual(merged, once, seed)
        }
    }

    @Test("merging is associative", arguments: UInt64(0)..<200)
    func associative(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let stream = Stream(count: 30, using: &generator)
        let first = Int.random(in: 1..<29, using: &generator)
        let second = Int.random(in: first + 1..<30, using: &generator)
        let parts = try [0..<first, first..<second, second..<30].map {
            try #require(stream.sighting(of: $0))
        }
        var left = parts[0]
        left.merge(parts[1])
        left.merge(parts[2])
        var end = parts[1]
        end.merge(parts[2])
        var right = parts[0]
        right.merge(end)
        expectEqual(left, right, seed)
    }

    @Test("merging with empty statistics changes nothing, on either side")
    func identity() throws {
        var generator = SeededGenerator(seed: 1)
        let stream = Stream(count: 20, using: &generator)
        let signal = try #require(stream.sighting(of: 0..<20)).signal
        var left = SignalStatistics()
        left.merge(signal)
        var right = signal
        right.merge(SignalStatistics())
        #expect(left == signal)
        #expect(right == signal)
        var empty = SignalStatistics()
        empty.merge(SignalStatistics())
        #expect(empty == SignalStatistics())
    }

    @Test("the weakest possible RSSI has a time")
    func weakest() {
        var signal = SignalStatistics()
        signal.add(RSSI(dBm: .min), at: Instant(microseconds: 5))
        signal.add(RSSI(dBm: .min), at: Instant(microseconds: 6))
        #expect(signal.max == .min)
        #expect(signal.maxAt == Instant(microseconds: 5))
    }

    @Test("the statistics agree with a two-pass calculation", arguments: UInt64(0)..<200)
    func twoPasses(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...200, using: &generator)
        let stream = Stream(count: count, using: &generator)
        let sighting = try #require(stream.sighting(of: 0..<count))
        let measured = stream.reports.filter { $0.rssi.dBm != 127 }
        #expect(sighting.count == count, "seed \(seed)")
        #expect(sighting.firstSeen == stream.reports.first?.instant, "seed \(seed)")
        #expect(sighting.lastSeen == stream.reports.last?.instant, "seed \(seed)")
        #expect(sighting.measuredPower == stream.reports.last?.measuredPower, "seed \(seed)")
        #expect(sighting.signal.count == measured.count, "seed \(seed)")
        guard let last = measured.last else { return }
        let values = measured.map { Double($0.rssi.dBm) }
        let mean = values.reduce(0, +) / Double(values.count)
        let variance = values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(values.count)
        let strongest = try #require(values.max())
        let powers = values.map { pow(10, $0 / 10) }
        let power = powers.reduce(0, +)
        let times = measured.map { Double($0.instant.microseconds(since: sighting.firstSeen)) }
        let centroid = zip(powers, times).map { $0 * $1 }.reduce(0, +) / power
        let signal = sighting.signal
        #expect(Double(signal.min) == values.min(), "seed \(seed)")
        #expect(Double(signal.max) == strongest, "seed \(seed)")
        #expect(signal.last == last.rssi.dBm, "seed \(seed)")
        #expect(
            signal.maxAt == measured.first { Double($0.rssi.dBm) == strongest }?.instant,
            "seed \(seed)")
        #expect(abs(signal.mean - mean) < 1e-9, "seed \(seed)")
        #expect(abs(signal.standardDeviation - variance.squareRoot()) < 1e-6, "seed \(seed)")
        #expect(
            abs(signal.meanMilliwatts * Double(values.count) / power - 1) < 1e-12, "seed \(seed)")
        let found = Double(signal.centroid.microseconds(since: sighting.firstSeen))
        #expect(abs(found - centroid) <= 1, "seed \(seed)")
    }

    @Test("each signed byte of dBm converts to milliwatts by 10^(dBm/10)")
    func milliwatts() {
        for dBm in Int8.min ... .max {
            let exact = pow(10, Double(dBm) / 10)
            #expect(abs(Milliwatts.of(RSSI(dBm: dBm)) / exact - 1) < 1e-14)
        }
    }

    @Test("the strongest time is that of the first of equal strongest reports")
    func moment() {
        var signal = SignalStatistics()
        for (time, dBm) in [(1, -70), (2, -50), (3, -60), (4, -50)] as [(Int64, Int8)] {
            signal.add(RSSI(dBm: dBm), at: Instant(microseconds: time))
        }
        #expect(signal.maxAt == Instant(microseconds: 2))
        var later = SignalStatistics()
        later.add(RSSI(dBm: -50), at: Instant(microseconds: 5))
        signal.merge(later)
        #expect(signal.maxAt == Instant(microseconds: 2))
    }

    @Test("a constant signal has no deviation, a nearly constant one a small one")
    func constant() {
        var signal = SignalStatistics()
        for time in 0..<1_000_000 {
            signal.add(RSSI(dBm: -61), at: Instant(microseconds: Int64(time)))
        }
        #expect(signal.standardDeviation == 0)
        signal.add(RSSI(dBm: -62), at: Instant(microseconds: 1_000_000))
        #expect(abs(signal.standardDeviation - 0.001) < 1e-8)
    }

    @Test("an echo in either part is an echo in the merged sighting")
    func echo() {
        for (first, second) in [(false, false), (false, true), (true, false), (true, true)] {
            var left = Sighting(
                of: Advertisements.beacon(1), rssi: RSSI(dBm: -60), at: Instant(microseconds: 1))
            var right = left
            left.isEcho = first
            right.isEcho = second
            left.merge(right)
            #expect(left.isEcho == (first || second))
        }
    }

    @Test("a sighting without any RSSI has no signal")
    func unmeasured() {
        var sighting = Sighting(
            of: Advertisements.beacon(1), rssi: .notAvailable, at: Instant(microseconds: 5))
        sighting.add(.notAvailable, measuredPower: -58, at: Instant(microseconds: 9))
        #expect(sighting.count == 2)
        #expect(sighting.signal == SignalStatistics())
        #expect(sighting.measuredPower == -58)
    }

    /// Compares exact fields exactly, and the others with a tolerance.
    private func expectEqual(_ left: Sighting, _ right: Sighting, _ seed: UInt64) {
        #expect(left.identity == right.identity, "seed \(seed)")
        #expect(left.measuredPower == right.measuredPower, "seed \(seed)")
        #expect(left.count == right.count, "seed \(seed)")
        #expect(left.firstSeen == right.firstSeen, "seed \(seed)")
        #expect(left.lastSeen == right.lastSeen, "seed \(seed)")
        #expect(left.senders == right.senders, "seed \(seed)")
        #expect(left.isEcho == right.isEcho, "seed \(seed)")
        let (one, other) = (left.signal, right.signal)
        #expect(one.count == other.count, "seed \(seed)")
        guard one.count > 0, other.count > 0 else { return }
        #expect(one.min == other.min && one.max == other.max, "seed \(seed)")
        #expect(one.last == other.last, "seed \(seed)")
        #expect(one.maxAt == other.maxAt, "seed \(seed)")
        #expect(one.mean == other.mean, "seed \(seed)")
        #expect(one.standardDeviation == other.standardDeviation, "seed \(seed)")
        #expect(abs(one.meanMilliwatts / other.meanMilliwatts - 1) < 1e-12, "seed \(seed)")
        #expect(
            one.centroid.microseconds(since: other.centroid).magnitude <= 1, "seed \(seed)")
    }
}
