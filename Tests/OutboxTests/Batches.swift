import Beacon
import Sighting

@testable import Outbox

/// A batch with so many sightings.
func batch(_ seq: UInt64, sightings: Int = 0) -> Batch {
    let second = Int64(seq % 1_000_000) * 1_000_000
    let interval = Interval(
        start: Instant(microseconds: second), end: Instant(microseconds: second + 1_000_000))
    let sighting = Sighting(
        of: IBeacon(
            identity: Identity(uuid: ProximityUUID(high: 1, low: 2), major: 3, minor: 4),
            measuredPower: -59), rssi: RSSI(dBm: -60), at: interval.start)
    let all = [Sighting](repeating: sighting, count: sightings)
    return Batch(seq: seq, interval: interval, radio: RadioCounts(), sightings: all[...])
}

/// A moment so many seconds after the start.
func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

let stamp = Stamp(offset: 0, clock: .synced)

extension Outbox {
    /// Hands out all that may be handed out, and returns the numbers.
    mutating func handOut(at now: Instant = at(0)) -> [UInt64] {
        var numbers: [UInt64] = []
        while let entry = next(at: now, stamp: { stamp }) { numbers.append(entry.batch.seq) }
        return numbers
    }

    mutating func acknowledge(_ seq: UInt64) { acknowledge(Entry.ID(rawValue: seq)) }
}

extension Outbox {
    /// Puts a batch in that was made under `stamp`.
    mutating func append(_ batch: Batch, at now: Instant) { append(batch, stamp: stamp, at: now) }

    /// Takes the next batch, labelled anew at its first attempt.
    mutating func next(at now: Instant, stamp: () -> Stamp) -> Entry? {
        next(at: now, restamp: { _ in stamp() })
    }
}
