import Beacons
import Primitives
import Sightings

@testable import Outbox

/// A sighting of a beacon with `count` reports, spread over a second after `start`.
func sighting(_ minor: UInt16, count: Int = 1, from start: Instant, rssi: Int8 = -60) -> Sighting {
    let beacon = BeaconFrame(
        identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 3, minor: minor),
        power: -59)
    var sighting = Sighting(of: beacon, rssi: RSSI(dBm: rssi), at: start)
    for index in 1..<max(1, count) {
        sighting.add(
            RSSI(dBm: rssi), measuredPower: -59,
            at: start.advanced(byMicroseconds: Int64(index) * 1_000_000 / Int64(count)))
    }
    return sighting
}

/// The batch of one second. Its number is the second.
func batch(_ seq: UInt64, sightings: Int = 0) -> Batch {
    let second = Int64(seq % 1_000_000) * 1_000_000
    let interval = Interval(
        start: Instant(microseconds: second), end: Instant(microseconds: second + 1_000_000))
    let all = (0..<sightings).map { sighting(UInt16($0), from: interval.start) }
    var radio = RadioCounts()
    radio.reports = sightings
    return Batch(seq: seq, interval: interval, radio: radio, sightings: all[...])
}

/// The instant `seconds` after zero.
func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

let stamp = Stamp(offset: .zero, clock: .synced)

extension Outbox {
    /// Hands out batches until none is left to send now. Returns their numbers.
    mutating func handOut(at now: Instant = at(0)) -> [UInt64] {
        var numbers: [UInt64] = []
        while let entry = next(at: now) { numbers.append(entry.batch.seq) }
        return numbers
    }

    mutating func acknowledge(_ seq: UInt64) { acknowledge(Entry.ID(rawValue: seq)) }

    /// Adds a batch with the usual stamp.
    mutating func append(_ batch: Batch, at now: Instant) { append(batch, stamp: stamp, at: now) }

    /// Hands out and acknowledges all batches. Time passes meanwhile.
    mutating func drain(from start: Int64, clock: Stamp? = nil) -> [Entry] {
        var entries: [Entry] = []
        var now = start
        while depth > 0, now < start + 100_000 {
            while let entry = next(at: at(now), clock: clock) {
                entries.append(entry)
                acknowledge(entry.id)
            }
            tick(at: at(now), clock: clock)
            now += 1
        }
        return entries
    }
}
