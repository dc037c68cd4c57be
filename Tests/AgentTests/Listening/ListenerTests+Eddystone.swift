import Beacons
import HCI
import Primitives
import Sightings
import TestVectors
import Testing

@testable import Agent

extension ListenerTests {
    /// The structure of an Eddystone-TLM frame: 2.95 V, 21.5 °C, 77 advertisements, 12.3 s.
    private static let telemetry: [UInt8] =
        [0x11, 0x16, 0xaa, 0xfe, 0x20, 0x00, 0x0b, 0x86, 0x15, 0x80]
        + [0, 0, 0, 0x4d, 0, 0, 0, 0x7b]

    @Test(
        "telemetry joins the beacon of its sender, in its window or a later one",
        arguments: [([0], [77, nil]), ([1], [nil, 77]), ([0, 1], [77, 77]), ([], [nil, nil])]
            as [([Int64], [UInt32?])])
    func telemetry(heard: [Int64], expected: [UInt32?]) {
        let recorder = Recorder()
        func hear(_ data: [UInt8], from sender: UInt8, at time: Int64) {
            recorder.hear(
                Advertisements.legacyEvent(Advertisements.legacyReport(data, sender: sender)),
                at: time)
        }
        for second in [0, 1] as [Int64] {
            if heard.contains(second) {
                hear(Self.telemetry, from: 1, at: second * 1_000_000 + 100)
            }
            // Of another sender, in the second window only.
            if second == 1 { hear(Advertisements.iBeacon(8), from: 2, at: 1_000_200) }
            hear(Advertisements.iBeacon(7), from: 1, at: second * 1_000_000 + 300)
        }
        recorder.finish()
        let found = recorder.batches.map { batch in
            batch.sightings.first { $0.identity.minor == 7 }?.telemetry
        }
        #expect(found.map { $0?.advertisements } == expected)
        #expect(found.compactMap(\.self).allSatisfy { $0.millivolts == 2950 && $0.uptime == 123 })
        #expect(found.compactMap(\.self).allSatisfy { $0.temperature == 21 * 256 + 128 })
        let others = recorder.batches.flatMap(\.sightings).filter { $0.identity.minor == 8 }
        #expect(others.map(\.telemetry) == [nil])
        // A frame of telemetry is a report, and no beacon.
        let reports = recorder.batches.compactMap(\.radio).reduce(0) { $0 + $1.reports }
        #expect(reports == 3 + heard.count)
        #expect(recorder.batches.compactMap(\.radio).reduce(0) { $0 + $1.beacons } == 3)
    }

    @Test("telemetry joins a beacon of its own advertisement, whatever follows it")
    func telemetryBeside() {
        let battery: [UInt8] = [0x04, 0x16, 0x0f, 0x18, 0x64]
        for data in [
            Self.telemetry + battery + Advertisements.iBeacon(7), Self.telemetry + battery,
        ] {
            let recorder = Recorder()
            recorder.hear(
                Advertisements.extendedEvent(
                    Advertisements.extendedReport(data, sender: 1),
                    Advertisements.extendedReport(Advertisements.iBeacon(7), sender: 1)), at: 100)
            recorder.finish()
            let sightings = recorder.batches.flatMap(\.sightings)
            #expect(sightings.map { $0.telemetry?.advertisements } == [77])
        }
    }

    @Test("URLs and rotating identities of Eddystone beacons are counted, and are no beacons")
    func eddystone() {
        let url: [UInt8] = [0x07, 0x16, 0xaa, 0xfe, 0x10, 0xee, 0x03, 0x61]
        let ephemeral: [UInt8] = [0x0d, 0x16, 0xaa, 0xfe, 0x30, 0xee, 1, 2, 3, 4, 5, 6, 7, 8]
        // A frame without its scheme, one with too short an identity, and one of another service.
        let short: [UInt8] = [0x05, 0x16, 0xaa, 0xfe, 0x10, 0xee]
        let cut: [UInt8] = [0x0c, 0x16, 0xaa, 0xfe, 0x30, 0xee, 1, 2, 3, 4, 5, 6, 7]
        let other: [UInt8] = [0x07, 0x16, 0x9f, 0xfe, 0x10, 0xee, 0x03, 0x61]
        let recorder = Recorder()
        for data in [url, ephemeral, ephemeral, short, cut, other, url + Advertisements.iBeacon(7)]
        {
            recorder.hear(
                Advertisements.extendedEvent(Advertisements.extendedReport(data)), at: 100)
        }
        recorder.finish()
        #expect(recorder.eddystone.urls == 2 && recorder.eddystone.ephemeral == 2)
        let radio = recorder.batches.compactMap(\.radio)
        #expect(radio.map(\.reports) == [7] && radio.map(\.beacons) == [1])
    }

    @Test("telemetry waits a minute for its beacon")
    func telemetryWaits() {
        // Also in a wide window, which begins before the minute ends.
        let cases = [(1, 58, true), (1, 61, false), (45, 80, false)] as [(Int64, Int64, Bool)]
        for (width, seconds, isJoined) in cases {
            let recorder = Recorder(Windows.Settings(width: .seconds(width)))
            recorder.hear(
                Advertisements.legacyEvent(
                    Advertisements.legacyReport(Self.telemetry, sender: 1)), at: 100)
            recorder.hear(
                Advertisements.legacyEvent(Self.report(7)), at: seconds * 1_000_000 + 100)
            recorder.finish()
            #expect((recorder.batches.last?.sightings.first?.telemetry != nil) == isJoined)
        }
    }
}
