import Beacons
import Contract
import Primitives
import Sightings
import Testing

@Suite struct SightingsWriterTests {
    static let start: Int64 = 1_780_000_000_000

    /// Ten reports with a mean of −64.2 dBm and a standard deviation of 3.12 dB.
    static func example() throws -> Sighting {
        let uuid = try #require(ProximityUUID("E2C56DB5DFFB48D2B060D0F5A71096E0"))
        let beacon = BeaconFrame(
            identity: BeaconIdentity(uuid: uuid, major: 42, minor: 7), power: -59)
        let reports: [(ms: Int64, rssi: Int8)] = [
            (12, -71), (38, -65), (140, -64), (340, -58), (356, -65), (393, -63), (463, -63),
            (691, -65), (784, -62), (987, -66),
        ]
        return try sighting(of: beacon, reports.map { ((start + $0.ms) * 1000, $0.rssi) })
    }

    static func sighting(of beacon: BeaconFrame, _ reports: [(µs: Int64, rssi: Int8)]) throws
        -> Sighting
    {
        let first = try #require(reports.first)
        var sighting = Sighting(
            of: beacon, rssi: RSSI(dBm: first.rssi), at: Instant(microseconds: first.µs))
        for report in reports.dropFirst() {
            sighting.add(
                RSSI(dBm: report.rssi), measuredPower: beacon.power,
                at: Instant(microseconds: report.µs))
        }
        return sighting
    }

    static var radio: RadioCounts {
        var radio = RadioCounts()
        radio.reports = 412
        radio.beacons = 100
        radio.filtered = 3
        return radio
    }

    static func batch(
        seq: UInt64 = 1041, state: RadioState = .hearing, radio: RadioCounts? = Self.radio,
        part: Batch.Part? = nil, sightings: [Sighting] = []
    ) -> Batch {
        Batch(
            seq: seq,
            interval: Interval(
                start: Instant(microseconds: start * 1000),
                end: Instant(microseconds: (start + 1000) * 1000)),
            state: state, radio: radio, part: part, sightings: sightings[...])
    }

    static func writer() throws -> SightingsWriter {
        let topics = try #require(Topics(site: "store-042", gateway: "entry-1"))
        return SightingsWriter(
            topics: topics, session: "0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10")
    }

    static func text(
        _ batch: Batch, stamp: Stamp = Stamp(offset: .zero, clock: .synced), lost: Loss? = nil
    ) throws -> String {
        var buffer = Array("left over".utf8)
        try writer().write(batch, stamp: stamp, lost: lost, into: &buffer)
        return String(decoding: buffer, as: UTF8.self)
    }

    static let prefix =
        #"{"v":1,"site":"store-042","gateway":"entry-1","session":"0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10","#

    @Test("writes the contract's example byte by byte") func example() throws {
        let sighting = try Self.example()
        let expected =
            Self.prefix + #""seq":1041,"#
            + #""window":{"start":1780000000000,"end":1780000001000},"clock":"synced","#
            + #""radio":{"reports":412,"beacons":100,"filtered":3,"malformed":0,"implausible":0,"dropped":0},"#
            + #""sightings":[{"type":"ibeacon","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","#
            + #""major":42,"minor":7,"measuredPower":-59,"count":10,"#
            + #""rssi":{"min":-71,"max":-58,"mean":-64.2,"stddev":3.12,"last":-66},"#
            + #""power":{"mean":-63.1,"centroid":431},"#
            + #""firstSeen":12,"lastSeen":987,"maxAt":340,"senders":1}]}"#
        #expect(try Self.text(Self.batch(sightings: [sighting])) == expected)
    }

    @Test("only the echo's sighting has the member, after the senders")
    func echo() throws {
        var windows = Windows(
            Windows.Settings(own: OwnBeacon(identities: [try Self.example().identity])),
            from: Instant(microseconds: Self.start * 1000), seed: HashSeed(1, 2))
        for minor in [UInt16(6), 7] {
            let beacon = BeaconFrame(
                identity: BeaconIdentity(
                    uuid: try Self.example().identity.uuid, major: 42, minor: minor),
                power: -59)
            windows.count(
                beacon, rssi: .notAvailable, from: DeviceAddress(address: 1, type: 0),
                at: Instant(microseconds: Self.start * 1000))
        }
        let window = try #require(windows.finish() as Window?)
        let text = try Self.text(Self.batch(sightings: window.sightings))
        #expect(
            text.contains(
                #""minor":6,"measuredPower":-59,"count":1,"firstSeen":0,"lastSeen":0,"senders":1},"#
            ))
        #expect(
            text.hasSuffix(
                #""minor":7,"measuredPower":-59,"count":1,"firstSeen":0,"lastSeen":0,"senders":1,"echo":true}]}"#
            ))
        let message = try SightingsMessage(decoding: Array(text.utf8))
        #expect(message.sightings.map(\.isEcho) == [false, true])
    }

    @Test("writes a part, a loss, a deaf radio and an unset clock")
    func extras() throws {
        var radio = RadioCounts()
        radio.fragments = 6
        radio.untracked = 4
        radio.unresolvedSenders = 5
        radio.identitiesPerSender = 17
        let lost = Loss(batches: 3, fromSeq: 9, toSeq: 11, reason: .outboxFull)
        #expect(
            try Self.text(
                Self.batch(
                    seq: 0, state: .deaf, radio: radio, part: Batch.Part(index: 0, of: 3)),
                stamp: Stamp(offset: .microseconds(-999), clock: .unsynced), lost: lost)
                == Self.prefix + #""seq":0,"part":{"index":0,"of":3},"#
                + #""window":{"start":1779999999999,"end":1780000000999},"clock":"unsynced","#
                + #""lost":{"batches":3,"fromSeq":9,"toSeq":11,"reason":"outbox-full"},"#
                + #""radio":{"state":"deaf","reports":0,"beacons":0,"filtered":0,"malformed":0,"implausible":0,"#
                + #""dropped":0,"fragments":6,"untracked":4,"unresolvedSenders":5,"identitiesPerSender":17},"#
                + #""sightings":[]}"#)
    }

    @Test("later parts have no radio")
    func laterPart() throws {
        let text = try Self.text(
            Self.batch(radio: nil, part: Batch.Part(index: 2, of: 3)))
        #expect(
            text.hasSuffix(
                #""part":{"index":2,"of":3},"window":{"start":1780000000000,"end":1780000001000},"clock":"synced","sightings":[]}"#
            ))
    }

    @Test("omits values that no report measured")
    func unmeasured() throws {
        let uuid = ProximityUUID(high: 0, low: .max)
        let beacon = BeaconFrame(
            identity: BeaconIdentity(uuid: uuid, major: 0, minor: 65535), power: -128)
        let sighting = try Self.sighting(of: beacon, [(Self.start * 1000 + 999_999, 127)])
        let text = try Self.text(Self.batch(sightings: [sighting]))
        #expect(
            text.hasSuffix(
                #""sightings":[{"type":"ibeacon","uuid":"00000000-0000-0000-ffff-ffffffffffff","major":0,"minor":65535,"#
                    + #""measuredPower":-128,"count":1,"firstSeen":999,"lastSeen":999,"senders":1}]}"#
            ))
    }

    @Test(
        "fractions have two digits at most, and end without zeros",
        arguments: [
            ([-64, -65], "-64.5", "0.5"), ([-64], "-64", "0"), ([-1, -1, -2], "-1.33", "0.47"),
            ([-1, 1], "0", "1"), ([-1, 0, 0], "-0.33", "0.47"), ([0], "0", "0"),
            ([-128, 20], "-54", "74"),
        ] as [([Int8], String, String)])
    func fractions(values: [Int8], mean: String, deviation: String) throws {
        let beacon = BeaconFrame(
            identity: BeaconIdentity(uuid: ProximityUUID(high: 0, low: 0), major: 0, minor: 0),
            power: 0)
        let sighting = try Self.sighting(of: beacon, values.map { (Self.start * 1000, $0) })
        let text = try Self.text(Self.batch(sightings: [sighting]))
        #expect(text.contains(#""mean":\#(mean),"stddev":\#(deviation),"#))
    }

    @Test("writes instants at the limits of a clock")
    func extremeInstants() throws {
        let beacon = BeaconFrame(
            identity: BeaconIdentity(uuid: ProximityUUID(high: 0, low: 0), major: 0, minor: 0),
            power: 0)
        for instant in [Int64.min, -1, 0, .max] {
            let sighting = try Self.sighting(of: beacon, [(instant, -60)])
            let end = Instant(microseconds: instant)
            for offset in [Int64.min, -1, 0, .max] {
                let batch = Batch(
                    seq: .max, interval: Interval(start: end, end: end), radio: RadioCounts(),
                    sightings: [sighting])
                _ = try Self.text(
                    batch, stamp: Stamp(offset: .microseconds(offset), clock: .synced))
            }
        }
    }

    @Test("rounds the centroid to the nearest millisecond within the window")
    func centroid() throws {
        let beacon = BeaconFrame(
            identity: BeaconIdentity(uuid: ProximityUUID(high: 0, low: 0), major: 0, minor: 0),
            power: 0)
        for (µs, expected) in [(0, 0), (499, 0), (500, 1), (1499, 1), (999_999, 1000)] {
            let sighting = try Self.sighting(of: beacon, [(Self.start * 1000 + Int64(µs), -60)])
            #expect(
                try Self.text(Self.batch(sightings: [sighting])).contains(
                    #""centroid":\#(expected)}"#))
        }
    }

    @Test("writes hundreds of sightings with commas between them")
    func many() throws {
        let sighting = try Self.example()
        let text = try Self.text(
            Self.batch(sightings: [Sighting](repeating: sighting, count: 1000)))
        let message = try SightingsMessage(decoding: Array(text.utf8))
        #expect(message.sightings.count == 1000)
    }
}
