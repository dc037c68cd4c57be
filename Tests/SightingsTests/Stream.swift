import Beacons
import Primitives
import TestVectors

@testable import Sightings

/// Reports of one identity in the order of their times, from a seed.
struct Stream {
    struct Report {
        var instant: Instant
        var rssi: RSSI
        var measuredPower: Int8
    }

    var reports: [Report] = []

    init(count: Int, using generator: inout SeededGenerator) {
        var time = Int64.random(in: -1_000_000_000_000...2_000_000_000_000_000, using: &generator)
        for _ in 0..<count {
            // Reports of one event share its time.
            if !generator.oneIn(4) { time += Int64.random(in: 0...200_000, using: &generator) }
            let rssi =
                generator.oneIn(6)
                ? RSSI.notAvailable : RSSI(dBm: Int8.random(in: -128...20, using: &generator))
            reports.append(
                Report(
                    instant: Instant(microseconds: time), rssi: rssi,
                    measuredPower: Int8.random(in: -70...(-50), using: &generator)))
        }
    }

    /// One pass over some of the reports.
    func sighting(of range: Range<Int>) -> Sighting? {
        var sighting: Sighting?
        for report in reports[range] {
            if sighting == nil {
                sighting = Sighting(
                    of: Advertisements.beacon(7, power: report.measuredPower),
                    rssi: report.rssi, at: report.instant)
            } else {
                sighting?.add(
                    report.rssi, measuredPower: report.measuredPower, at: report.instant)
            }
        }
        return sighting
    }

    /// The merged parts of a random split, in a random order of neighbours.
    func merged(_ range: Range<Int>, using generator: inout SeededGenerator) -> Sighting? {
        if range.count < 2 || generator.oneIn(4) { return sighting(of: range) }
        let middle = Int.random(in: range.lowerBound...range.upperBound, using: &generator)
        let later = merged(middle..<range.upperBound, using: &generator)
        guard var whole = merged(range.lowerBound..<middle, using: &generator) else {
            return later
        }
        if let later { whole.merge(later) }
        return whole
    }
}
