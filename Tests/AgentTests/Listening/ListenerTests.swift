import Beacons
import HCI
import Primitives
import Sightings
import TestVectors
import Testing

@testable import Agent

@Suite struct ListenerTests {
    /// A listener, and its batches.
    final class Recorder {
        private var listener: Listener
        private(set) var batches: [Batch] = []

        init(
            from start: Int64 = 0, aligned: Bool = false, _ settings: Windows.Settings = .init(),
            _ batches: Batcher.Settings = Batcher.Settings(maxSilence: .zero)
        ) {
            let windows = Windows(
                settings, from: Instant(microseconds: start), aligned: aligned,
                seed: HashSeed(1, 2))
            listener = Listener(windows, Batcher(batches))
        }

        var lastReport: Instant? { listener.lastReport }
        var eddystone: EddystoneCounts { listener.eddystone }

        func hear(_ event: [UInt8], at time: Int64) {
            event.withBytes { event in
                listener.process(event, at: Instant(microseconds: time)) { batches.append($0) }
            }
        }

        func turn(_ state: RadioState, at time: Int64) {
            listener.turn(state, at: Instant(microseconds: time)) { batches.append($0) }
        }

        func retune(_ windows: Windows.Settings, _ batches: Batcher.Settings, at time: Int64) {
            listener.apply(windows: windows, batches: batches, at: Instant(microseconds: time)) {
                self.batches.append($0)
            }
        }

        func lose(packets: Int, at time: Int64) {
            listener.countDropped(packets: packets, at: Instant(microseconds: time))
        }

        func finish(at time: Int64? = nil) {
            listener.finish(at: time.map(Instant.init)) { batches.append($0) }
        }
    }

    static func report(_ minor: UInt16, rssi: Int8 = -60, sender: UInt8 = 1) -> [UInt8] {
        Advertisements.legacyReport(Advertisements.iBeacon(minor), rssi: rssi, sender: sender)
    }

    @Test("every report of an event is counted, legacy and extended")
    func reports() throws {
        let recorder = Recorder()
        recorder.hear(
            Advertisements.legacyEvent(Self.report(1), Self.report(2, sender: 2), Self.report(1)),
            at: 100)
        recorder.hear(
            Advertisements.extendedEvent(
                Advertisements.extendedReport(Advertisements.iBeacon(1), rssi: -40, sender: 3)),
            at: 200)
        recorder.finish(at: 500)
        let batch = try #require(recorder.batches.first)
        #expect(recorder.batches.count == 1)
        #expect(batch.sightings.map(\.identity.minor) == [1, 2])
        #expect(batch.sightings.map(\.count) == [3, 1])
        #expect(batch.sightings.map(\.senders) == [2, 1])
        #expect(batch.sightings.first?.signal.max == -40)
        #expect(batch.sightings.first?.signal.maxAt == Instant(microseconds: 200))
        #expect(batch.radio?.reports == 4 && batch.radio?.beacons == 4)
        #expect(recorder.lastReport == Instant(microseconds: 200))
    }

    @Test("malformed, implausible and other reports have a counter each")
    func counters() throws {
        let recorder = Recorder()
        let cut = Advertisements.legacyEvent(Self.report(1), Self.report(2)).dropLast(3)
        recorder.hear(Array(cut), at: 1)
        recorder.hear(
            Advertisements.legacyEvent(
                Advertisements.legacyReport([0x05, 0x09, 0x41]), Self.report(3, rssi: 21),
                Self.report(3, rssi: 20), Self.report(3, rssi: 127),
                Advertisements.legacyReport([]),
                Advertisements.legacyReport(Advertisements.iBeacon(4) + [0x09, 0xff])),
            at: 2)
        recorder.lose(packets: 5, at: 2)
        recorder.finish()
        let radio = try #require(recorder.batches.first?.radio)
        #expect(radio.reports == 8)
        #expect(radio.beacons == 4)
        #expect(radio.malformed == 2)
        #expect(radio.implausible == 1)
        #expect(radio.dropped == 5)
        #expect(recorder.batches.first?.sightings.map(\.count) == [1, 2, 1])
        #expect(recorder.batches.first?.sightings.map(\.signal.count) == [1, 1, 1])
    }

    @Test("other events count as nothing")
    func others() {
        let recorder = Recorder()
        for event in [[], hex("0e 04 01 0b 20 00"), hex("3e 02 01 01"), hex("3e 02 02 00")] {
            recorder.hear(event, at: 5)
        }
        #expect(recorder.lastReport == nil)
        recorder.finish()
        #expect(recorder.batches.first?.radio == RadioCounts())
    }

    @Test("a window that has ended becomes a batch before the next report")
    func closes() {
        let recorder = Recorder(aligned: true)
        recorder.hear(Advertisements.legacyEvent(Self.report(1)), at: 900_000)
        recorder.hear(Advertisements.legacyEvent(Self.report(2)), at: 3_000_000)
        recorder.finish()
        #expect(
            recorder.batches.map(\.interval.start.microseconds)
                == [0, 1_000_000, 2_000_000, 3_000_000])
        #expect(recorder.batches.map(\.sightings.count) == [1, 0, 0, 1])
        #expect(recorder.batches.map(\.seq) == [0, 1, 2, 3])
    }

    @Test("changed settings end the open window, and the next one uses them")
    func retunes() {
        let recorder = Recorder()
        recorder.hear(Advertisements.legacyEvent(Self.report(1)), at: 100)
        recorder.retune(
            Windows.Settings(
                width: .milliseconds(200),
                filter: BeaconFilter(uuids: [ProximityUUID(high: 1, low: 1)])),
            Batcher.Settings(maxSilence: .zero), at: 1_300_000)
        recorder.hear(Advertisements.legacyEvent(Self.report(1)), at: 1_300_000)
        recorder.finish(at: 1_500_000)
        #expect(
            recorder.batches.map(\.interval.start.microseconds)
                == [0, 1_000_000, 1_300_000, 1_400_000])
        #expect(recorder.batches.last?.interval.end == Instant(microseconds: 1_500_000))
        #expect(recorder.batches.map(\.radio?.filtered) == [0, 0, 1, 0])
        #expect(recorder.batches.map(\.seq) == [0, 1, 2, 3])
    }

    @Test("a changed filter changes the formats that are looked for")
    func retunesFormats() {
        let recorder = Recorder()
        let events = [
            Advertisements.iBeacon(7), Advertisements.altBeacon, Advertisements.eddystoneUID,
        ].map { Advertisements.legacyEvent(Advertisements.legacyReport($0)) }
        for event in events { recorder.hear(event, at: 100) }
        recorder.retune(
            Windows.Settings(filter: BeaconFilter(formats: [.altBeacon, .eddystoneUID])),
            Batcher.Settings(maxSilence: .zero), at: 500_000)
        for event in events { recorder.hear(event, at: 600_000) }
        recorder.finish()
        #expect(
            recorder.batches.map { $0.sightings.map(\.identity.format.rawValue).sorted() }
                == [[0], [1, 2]])
        #expect(recorder.batches.map(\.radio?.beacons) == [1, 2])
        #expect(recorder.batches.map(\.radio?.filtered) == [0, 0])
    }

    @Test("references are heard also where the filter has no iBeacons")
    func referencesOfOtherFormats() {
        var listener = Listener(
            Windows(
                Windows.Settings(filter: BeaconFilter(formats: .altBeacon)),
                from: Instant(microseconds: 0), seed: HashSeed(1, 2)),
            Batcher(Batcher.Settings(maxSilence: .zero)),
            references: ReferenceWatch([Advertisements.identity(7)]))
        var batches: [Batch] = []
        Advertisements.legacyEvent(Self.report(7)).withBytes { event in
            listener.process(event, at: Instant(microseconds: 100)) { batches.append($0) }
        }
        listener.finish { batches.append($0) }
        #expect(listener.references.longestSilent == Instant(microseconds: 100))
        #expect(batches.map(\.sightings.count) == [0] && batches[0].radio?.filtered == 1)
    }

    @Test("unchanged settings keep the open window")
    func retunesToTheSame() {
        let recorder = Recorder()
        recorder.retune(
            Windows.Settings(maxIdentities: 3), Batcher.Settings(maxSilence: .zero), at: 2_500_000)
        #expect(recorder.batches.isEmpty)
    }

    @Test("no message of silence spans a change of the settings")
    func retunesInSilence() {
        let usual = Batcher.Settings()
        let recorder = Recorder(Windows.Settings(), usual)
        func times() -> [[Int64]] {
            recorder.batches.map {
                [$0.interval.start.microseconds, $0.interval.end.microseconds]
            }
        }
        recorder.retune(Windows.Settings(width: .milliseconds(500)), usual, at: 3_100_000)
        let first: [[Int64]] = [[0, 1_000_000], [1_000_000, 3_100_000]]
        #expect(times() == first)
        // Only the batcher changes: the open window stays open.
        let brief = Batcher.Settings(maxSilence: .microseconds(1_000_000))
        recorder.retune(Windows.Settings(width: .milliseconds(500)), brief, at: 4_100_000)
        #expect(times() == first + [[3_100_000, 4_000_000]])
        recorder.finish(at: 5_000_000)
        #expect(times() == first + [[3_100_000, 4_000_000], [4_000_000, 5_000_000]])
        #expect(recorder.batches.map(\.seq) == [0, 1, 2, 3])
    }

    @Test("the gateway ignores its own advertising, and reports a neighbour and an impostor")
    func hearsOneself() throws {
        // The random address of the test vectors, with 9 as its last byte.
        let own = OwnBeacon(
            address: DeviceAddress(address: 0xc122_3344_5509, type: 1),
            identities: [Advertisements.beacon(7).identity])
        let recorder = Recorder(Windows.Settings(own: own))
        recorder.hear(
            Advertisements.legacyEvent(
                Self.report(7, sender: 9), Self.report(6, sender: 9), Self.report(7, sender: 8),
                Self.report(1, sender: 8)), at: 1)
        recorder.hear(
            Advertisements.extendedEvent(
                Advertisements.extendedReport(Advertisements.iBeacon(7), sender: 9)), at: 2)
        recorder.finish(at: 3)
        let batch = try #require(recorder.batches.first)
        #expect(batch.sightings.map(\.identity.minor) == [6, 7, 1])
        #expect(batch.sightings.map(\.isEcho) == [false, true, false])
        #expect(batch.sightings.map(\.count) == [1, 1, 1])
        #expect(batch.radio?.reports == 5 && batch.radio?.beacons == 3)
    }

    @Test(
        "no report is lost by random events, states and settings",
        arguments: UInt64(0)..<100)
    func conserves(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let recorder = Recorder(from: 0, Self.windows(&generator), Self.batches(&generator))
        var reports = 0
        var time: Int64 = 0
        for _ in 0..<300 {
            time += Int64.random(in: -5000...20_000, using: &generator)
            let count = Int.random(in: 1...4, using: &generator)
            let event = (0..<count).map { _ in
                Self.report(
                    UInt16.random(in: 0..<15, using: &generator),
                    rssi: Int8.random(in: .min ... .max, using: &generator),
                    sender: UInt8.random(in: 0..<3, using: &generator))
            }
            recorder.hear(
                [0x3e, UInt8(truncatingIfNeeded: event.joined().count + 2), 2, UInt8(count)]
                    + event.joined(), at: time)
            reports += count
            if generator.oneIn(30) {
                recorder.turn(Bool.random(using: &generator) ? .deaf : .hearing, at: time)
            }
            if generator.oneIn(20) {
                recorder.retune(Self.windows(&generator), Self.batches(&generator), at: time)
            }
        }
        recorder.finish(at: generator.oneIn(2) ? nil : time)
        var sum = RadioCounts()
        for batch in recorder.batches { if let radio = batch.radio { sum += radio } }
        #expect(sum.reports == reports, "seed \(seed)")
        #expect(
            sum.beacons + sum.filtered + sum.implausible + sum.untracked + sum.malformed == reports,
            "seed \(seed)")
        let counted = recorder.batches.flatMap(\.sightings).map(\.count).reduce(0, +)
        #expect(counted == sum.beacons, "seed \(seed)")
        #expect(
            recorder.batches.map(\.seq) == (0..<UInt64(recorder.batches.count)).map(\.self),
            "seed \(seed)")
        let intervals = recorder.batches.filter { $0.radio != nil }.map(\.interval)
        #expect(
            zip(intervals, intervals.dropFirst()).allSatisfy { $0.end == $1.start },
            "no gap; seed \(seed)")
    }

    private static func windows(_ generator: inout SeededGenerator) -> Windows.Settings {
        Windows.Settings(
            width: .milliseconds([20, 50, 70].randomElement(using: &generator) ?? 50),
            maxIdentities: Int.random(in: 1...12, using: &generator),
            filter: BeaconFilter(
                uuids: generator.oneIn(3) ? [ProximityUUID(high: 1, low: 1)] : []),
            own: OwnBeacon(
                identities: [
                    Advertisements.beacon(UInt16.random(in: 0..<15, using: &generator)).identity
                ]))
    }

    static func batches(_ generator: inout SeededGenerator) -> Batcher.Settings {
        Batcher.Settings(
            maxSilence: .microseconds(Int64.random(in: 0...200_000, using: &generator)),
            maxSightings: Int.random(in: 1...9, using: &generator))
    }
}
