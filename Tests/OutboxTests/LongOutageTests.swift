import Beacons
import Foundation
import Primitives
import Sightings
import TestSupport
import Testing

@testable import Outbox

@Suite("a day without a broker")
struct LongOutageTests {
    @Test("24 hours of 100 beacons fit into 64 MiB, and arrive with exact counts")
    func aDay() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/outbox.sqlite"
        let limits = OutboxLimits(spillAfter: .seconds(60), backlogPerSecond: 100)
        var outbox = Outbox(
            limits, origin: Origin(session: "s"),
            disk: DatabaseFile(path: path, maxBytes: limits.maxBytes))
        let seconds: Int64 = 86_400
        for second in 0..<seconds {
            outbox.append(day(second), at: at(second))
            if second % 10 == 0 { outbox.tick(at: at(second)) }
        }
        #expect(outbox.depth < Int(seconds) / 2)
        let rows = try #require(outbox.persistence.store?.store.bytes)
        #expect(rows <= limits.maxBytes)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let size = try #require(attributes[.size] as? Int)
        #expect(size <= limits.maxBytes * 17 / 16, "\(size) for \(rows)")
        #expect(outbox.counters.dropped == 0)

        var counts = [Int](repeating: 0, count: 100)
        var reports = 0
        var numbers: [ClosedRange<UInt64>] = []
        var widest: Int64 = 0
        for entry in outbox.drain(from: seconds) {
            #expect(entry.lost == nil)
            numbers.append(entry.batch.numbers)
            reports += entry.batch.radio?.reports ?? 0
            widest = max(widest, entry.batch.interval.microseconds)
            for sighting in entry.batch.sightings {
                counts[Int(sighting.identity.minor)] += sighting.count
            }
        }
        #expect(counts == [Int](repeating: Int(seconds) * 10, count: 100))
        #expect(reports == Int(seconds) * 1000)
        #expect(widest == 10_000_000, "no coarser than it had to be")
        numbers.sort { $0.lowerBound < $1.lowerBound }
        var next: UInt64 = 0
        for range in numbers {
            #expect(range.lowerBound == next)
            next = range.upperBound + 1
        }
        #expect(next == UInt64(seconds))
    }

    private func day(_ second: Int64) -> Batch {
        let start = at(second)
        var radio = RadioCounts()
        radio.reports = 1000
        radio.beacons = 1000
        let sightings = (0..<100).map { minor in
            Sighting(
                identity: BeaconIdentity(
                    uuid: ProximityUUID(high: 1, low: 2), major: 3, minor: UInt16(minor)),
                measuredPower: -59, isEcho: false, count: 10, firstSeen: start,
                lastSeen: start.advanced(by: .microseconds(900_000)), senders: 1,
                signal: SignalStatistics(
                    count: 10, min: -70, max: -60, last: -65,
                    maxAt: start.advanced(by: .microseconds(500_000)), sum: -650,
                    sumOfSquares: 42_350, milliwatts: 5e-6, moment: 2.2, reference: start))
        }
        return Batch(
            seq: UInt64(second), interval: Interval(start: start, end: at(second + 1)),
            radio: radio, sightings: sightings[...])
    }
}
