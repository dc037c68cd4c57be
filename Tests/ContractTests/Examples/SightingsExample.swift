import Beacons
import Contract
import Primitives
import Sightings
import Testing

/// The examples of messages of the topic `sightings`, as the batches that they are of.
struct SightingsExample: Sendable, CustomTestStringConvertible {
    let name: String
    let batch: Batch
    var stamp = Stamp(offset: .zero, clock: .synced)
    var lost: Loss?

    var testDescription: String { name }

    static let all: [SightingsExample] = {
        let heard = [entry, till]
        var crowded = counts(of: heard, reports: 412, filtered: 3)
        crowded.malformed = 1
        crowded.implausible = 1
        crowded.fragments = 6
        crowded.untracked = 4
        crowded.unresolvedSenders = 2
        crowded.dropped = 7
        crowded.identitiesPerSender = 212
        return [
            SightingsExample(
                name: "plain",
                batch: batch(1041, of: heard, counts(of: heard, reports: 412, filtered: 3))),
            SightingsExample(
                name: "empty",
                batch: batch(1042, seconds: 10, of: [], counts(of: [], reports: 97))),
            SightingsExample(
                name: "deaf",
                batch: batch(1043, seconds: 10, .deaf, of: [], counts(of: [], reports: 0))),
            SightingsExample(
                name: "part-first",
                batch: batch(
                    1044, part: Batch.Part(index: 0, of: 2), of: [entry],
                    counts(of: heard, reports: 412))),
            SightingsExample(
                name: "part-last",
                batch: batch(1045, part: Batch.Part(index: 1, of: 2), of: [till], nil)),
            SightingsExample(
                name: "lost", batch: batch(12, of: [till], counts(of: [till], reports: 40)),
                lost: Loss(batches: 3, fromSeq: 9, toSeq: 11, reason: .outboxFull)),
            SightingsExample(
                name: "merged",
                batch: batch(
                    179, seqs: 170...179, seconds: 10, of: heard,
                    counts(of: heard, reports: 4096))),
            SightingsExample(
                name: "echo", batch: batch(5, of: [echo], counts(of: [echo], reports: 9))),
            SightingsExample(
                name: "no-rssi", batch: batch(6, of: [silent], counts(of: [silent], reports: 1))),
            SightingsExample(
                name: "unsynced", batch: batch(0, of: [till], counts(of: [till], reports: 4)),
                stamp: Stamp(offset: .microseconds(-999_000), clock: .unsynced)),
            SightingsExample(name: "crowded", batch: batch(7, of: heard, crowded)),
            SightingsExample(
                name: "formats", batch: batch(8, of: formats, counts(of: formats, reports: 31))),
        ]
    }()

    private static let start: Int64 = 1_780_000_000_000

    private static let entry = sighting(
        7,
        [
            (12, -71), (38, -65), (140, -64), (340, -58), (356, -65), (393, -63), (463, -63),
            (691, -65), (784, -62), (987, -66),
        ])
    private static let till = sighting(8, [(105, -80), (405, -79), (705, -82)])
    private static let silent = sighting(9, [(999, 127)])
    /// As it is marked where a window closes.
    private static let echo = Sighting(
        identity: till.identity, measuredPower: -59, isEcho: true, count: till.count,
        firstSeen: till.firstSeen, lastSeen: till.lastSeen, senders: 2, signal: till.signal)

    private static let uuid = ProximityUUID(
        high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)

    /// With `filter.formats`: one of each other format. The namespace is that of Eddystone's own examples.
    private static let formats = [
        telling(
            sighting(
                BeaconIdentity(
                    .eddystoneUID,
                    prefix: ProximityUUID(high: 0xedd1_ebea_c04e_5def, low: 0xa017_0000_0000_0001)),
                power: -61, [(210, -70), (710, -72)])),
        sighting(
            BeaconIdentity(.altBeacon, prefix: uuid, suffix: 0x0001_0002), power: -59,
            [(333, -77)]),
    ]

    private static func sighting(
        _ minor: UInt16, _ reports: [(ms: Int64, rssi: Int8)]
    ) -> Sighting {
        sighting(BeaconIdentity(uuid: uuid, major: 42, minor: minor), power: -59, reports)
    }

    private static func sighting(
        _ identity: BeaconIdentity, power: Int8, _ reports: [(ms: Int64, rssi: Int8)]
    ) -> Sighting {
        let beacon = BeaconFrame(identity: identity, power: power)
        var sighting = Sighting(
            of: beacon, rssi: RSSI(dBm: reports[0].rssi), at: instant(reports[0].ms))
        for report in reports.dropFirst() {
            sighting.add(
                RSSI(dBm: report.rssi), measuredPower: beacon.power,
                at: instant(report.ms))
        }
        return sighting
    }

    private static func telling(_ sighting: Sighting) -> Sighting {
        var sighting = sighting
        sighting.telemetry = Eddystone.Telemetry(
            millivolts: 2950, temperature: 21 * 256 + 128, advertisements: 41_077,
            uptime: 123_456)
        return sighting
    }

    private static func instant(_ ms: Int64) -> Instant {
        Instant(microseconds: (start + ms) * 1000)
    }

    private static func counts(
        of sightings: [Sighting], reports: Int, filtered: Int = 0
    ) -> RadioCounts {
        var counts = RadioCounts()
        counts.reports = reports
        counts.beacons = sightings.reduce(0) { $0 + $1.count }
        counts.filtered = filtered
        return counts
    }

    private static func batch(
        _ seq: UInt64, seqs: ClosedRange<UInt64>? = nil, seconds: Int64 = 1,
        _ state: RadioState = .hearing, part: Batch.Part? = nil, of sightings: [Sighting],
        _ radio: RadioCounts?
    ) -> Batch {
        Batch(
            seq: seq, seqs: seqs,
            interval: Interval(start: instant(0), end: instant(seconds * 1000)), state: state,
            radio: radio, part: part, sightings: sightings[...])
    }
}
