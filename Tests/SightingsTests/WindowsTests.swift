import Beacons
import Primitives
import TestVectors
import Testing

@testable import Sightings

@Suite struct WindowsTests {
    private static let day: Int64 = 86_400_000_000

    static func windows(
        from start: Int64, alignment: Int64 = 0, aligned: Bool = false,
        state: RadioState = .hearing, _ settings: Windows.Settings = Windows.Settings()
    ) -> Windows {
        Windows(
            settings, from: Instant(microseconds: start), alignment: .microseconds(alignment),
            aligned: aligned,
            state: state, seed: HashSeed(0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210))
    }

    static func beacon(
        _ minor: UInt16, sender: UInt64 = 1, rssi: Int8 = -60
    ) -> Windows.Report {
        .beacon(
            Advertisements.beacon(minor), rssi: RSSI(dBm: rssi),
            sender: DeviceAddress(address: sender, type: 1))
    }

    static func at(_ microseconds: Int64) -> Instant {
        Instant(microseconds: microseconds)
    }

    static func interval(_ start: Int64, _ end: Int64) -> Interval {
        Interval(start: at(start), end: at(end))
    }

    @Test(
        "windows end at UTC multiples of their width, before and after the epoch",
        arguments: [
            (1_250_000, 0, 2_000_000), (1_000_000, 0, 2_000_000),
            (999_999, 0, 1_000_000), (0, 0, 1_000_000), (-1, 0, 0), (-1_000_000, 0, 0),
            (-1_000_001, 0, -1_000_000), (1_250_000, 300_000, 1_700_000),
            (1_250_000, -300_000, 1_300_000), (-50, 1_780_000_000_999_999, 1),
        ] as [(Int64, Int64, Int64)])
    func alignment(start: Int64, alignment: Int64, end: Int64) {
        let live = Self.windows(from: start, alignment: alignment)
        #expect(live.deadline.microseconds == end)
        var replay = Self.windows(from: start, alignment: alignment, aligned: true)
        let window = replay.close(upTo: Self.at(end))
        #expect(window?.interval == Self.interval(end - 1_000_000, end))
    }

    @Test("a window closes at its end, not a microsecond before")
    func closes() {
        var windows = Self.windows(from: 0)
        windows.count(Self.beacon(1), at: Self.at(10))
        #expect(windows.close(upTo: Self.at(999_999)) == nil)
        let window = windows.close(upTo: Self.at(1_000_000))
        #expect(window?.interval == Self.interval(0, 1_000_000))
        #expect(window?.radio.beacons == 1)
        #expect(windows.close(upTo: Self.at(1_000_000)) == nil)
    }

    @Test("a clock that steps back is clamped to the latest time seen")
    func held() throws {
        var windows = Self.windows(from: 0)
        windows.count(Self.beacon(1), at: Self.at(500_000))
        #expect(windows.close(upTo: Self.at(-Self.day)) == nil)
        windows.count(Self.beacon(1), at: Self.at(-Self.day))
        windows.count(Self.beacon(2), at: Self.at(300_000))
        let window = try #require(windows.close(upTo: Self.at(1_000_000)) as Window?)
        #expect(window.sightings.map(\.count) == [2, 1])
        #expect(window.sightings.map(\.lastSeen.microseconds) == [500_000, 500_000])
        // The next window begins after the latest time of the closed one.
        windows.count(Self.beacon(3), at: Self.at(700_000))
        let next = windows.finish()
        #expect(next?.sightings.first?.firstSeen == Self.at(1_000_000))
    }

    @Test("a gap of a day gives empty windows; a longer one is skipped")
    func gaps() {
        let settings = Windows.Settings(width: .milliseconds(60000))
        var short = Self.windows(from: 0, settings)
        var count = 0
        var end: Int64 = 0
        while let window = short.close(upTo: Self.at(60_000_000 + Self.day)) {
            #expect(window.interval.start.microseconds == end)
            end = window.interval.end.microseconds
            count += 1
        }
        #expect(count == 1441)

        var long = Self.windows(from: 0, settings)
        #expect(
            long.close(upTo: Self.at(60_000_001 + Self.day))?.interval
                == Self.interval(0, 60_000_000))
        #expect(long.close(upTo: Self.at(60_000_001 + Self.day)) == nil)
        #expect(
            long.finish()?.interval == Self.interval(Self.day + 60_000_000, Self.day + 120_000_000))
    }

    @Test(
        "a changed radio state closes the window early, and the next one ends at the next boundary")
    func turns() {
        var windows = Self.windows(from: 100, state: .deaf)
        let deaf = windows.turn(.hearing, at: Self.at(400_000))
        #expect(deaf == Window(interval: Self.interval(100, 400_000), state: .deaf))
        windows.count(Self.beacon(1), at: Self.at(500_000))
        let hearing = windows.close(upTo: Self.at(1_000_000))
        #expect(hearing?.interval == Self.interval(400_000, 1_000_000))
        #expect(hearing?.state == .hearing)
    }

    @Test(
        "a state change at the start of a window closes it only with counts, after a millisecond")
    func turnsAtOnce() {
        var windows = Self.windows(from: 100)
        #expect(windows.turn(.deaf, at: Self.at(100)) == nil)
        #expect(windows.turn(.hearing, at: Self.at(100)) == nil)
        windows.count(Self.beacon(1), at: Self.at(100))
        let heard = windows.turn(.deaf, at: Self.at(100))
        #expect(heard?.state == .hearing)
        #expect(heard?.interval == Self.interval(100, 1100))
        #expect(heard?.sightings.count == 1)
        let deaf = windows.close(upTo: Self.at(1_000_000))
        #expect(deaf == Window(interval: Self.interval(1100, 1_000_000), state: .deaf))
    }

    @Test("a window without counts that is shorter than a millisecond belongs to the next one")
    func shortest() {
        var windows = Self.windows(from: 100)
        #expect(windows.turn(.deaf, at: Self.at(1099)) == nil)
        #expect(
            windows.turn(.hearing, at: Self.at(1100))
                == Window(interval: Self.interval(100, 1100), state: .deaf))
        windows.count(Self.beacon(1), at: Self.at(999_999))
        #expect(windows.close(upTo: Self.at(1_000_000))?.interval == Self.interval(1100, 1_000_000))
        // The end of a window's width comes first.
        #expect(windows.turn(.deaf, at: Self.at(1_999_800))?.state == .hearing)
        windows.count(Self.beacon(1), at: Self.at(1_999_900))
        #expect(
            windows.turn(.hearing, at: Self.at(1_999_900))?.interval
                == Self.interval(1_999_800, 2_000_000))
    }

    @Test(
        "an open-ended window spans boundaries until the next turn, and the next one ends at a boundary"
    )
    func openEnded() {
        var windows = Self.windows(from: 0)
        let heard = windows.turn(.deaf, at: Self.at(300_000), isOpenEnded: true)
        #expect(heard?.interval == Self.interval(0, 300_000))
        windows.count(Self.beacon(1), at: Self.at(6_399_999))
        #expect(windows.close(upTo: Self.at(6_399_999)) == nil)
        let missed = windows.turn(.hearing, at: Self.at(6_400_000))
        #expect(missed?.interval == Self.interval(300_000, 6_400_000))
        #expect(missed?.state == .deaf && missed?.radio.beacons == 1)
        #expect(windows.deadline == Self.at(7_000_000))
    }

    @Test("windows align with the wall clock after it is set")
    func realigns() {
        var windows = Self.windows(from: 0)
        let before = windows.turn(alignment: .microseconds(250_000), at: Self.at(600_000))
        #expect(before?.interval == Self.interval(0, 600_000))
        #expect(windows.deadline == Self.at(750_000))
        #expect(
            windows.turn(alignment: .zero, at: Self.at(700_000))?.interval
                == Self.interval(600_000, 700_000))
        #expect(windows.deadline == Self.at(1_000_000))
    }

    @Test("finishing ends the window immediately, or at its full width for an ended source")
    func finishes() {
        var windows = Self.windows(from: 0)
        windows.count(Self.beacon(1), at: Self.at(300_000))
        var full = windows
        var early = windows
        #expect(windows.finish(at: Self.at(400_000))?.interval == Self.interval(0, 400_000))
        #expect(full.finish()?.interval == Self.interval(0, 1_000_000))
        // The end is not before the latest report.
        #expect(early.finish(at: Self.at(100))?.interval == Self.interval(0, 300_000))
    }

    @Test("finishing at the start of an empty window gives no window")
    func finishesAtOnce() {
        var windows = Self.windows(from: 0)
        #expect(windows.close(upTo: Self.at(1_000_000)) != nil)
        #expect(windows.finish(at: Self.at(1_000_000)) == nil)
        windows.countDropped(1)
        let window = windows.finish(at: Self.at(1_000_000))
        #expect(window?.radio.dropped == 1)
        #expect(window?.interval == Self.interval(1_000_000, 1_001_000))
    }

    @Test("identities beyond the bound count as untracked, and known ones continue")
    func bounded() throws {
        var windows = Self.windows(from: 0, Windows.Settings(maxIdentities: 300))
        for round in 0..<2 {
            for minor in 0..<UInt16(500) {
                windows.count(Self.beacon(minor), at: Self.at(Int64(round)))
            }
        }
        let window = try #require(windows.finish() as Window?)
        #expect(window.sightings.map(\.identity.minor) == Array(0..<300))
        #expect(window.sightings.allSatisfy { $0.count == 2 })
        #expect(window.radio.beacons == 600)
        #expect(window.radio.untracked == 400)
        #expect(window.radio.reports == 1000)
    }

    @Test("the sender count is exact for any order of senders")
    func senders() throws {
        var windows = Self.windows(from: 0)
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            let sender = UInt64.random(in: 0..<334, using: &generator)
            windows.count(Self.beacon(1, sender: sender), at: Self.at(1))
            windows.count(Self.beacon(2, sender: sender % 2), at: Self.at(1))
            windows.count(Self.beacon(3, sender: 7), at: Self.at(1))
        }
        let window = try #require(windows.finish() as Window?)
        #expect(window.sightings.map(\.senders) == [334, 2, 1])
        #expect(window.radio.unresolvedSenders == 0)
    }

    @Test("the same address with another type is another sender")
    func senderTypes() throws {
        var windows = Self.windows(from: 0)
        for type in [UInt8(0), 1, 0] {
            windows.count(
                .beacon(
                    Advertisements.beacon(1), rssi: RSSI(dBm: -60),
                    sender: DeviceAddress(address: 9, type: type)), at: Self.at(1))
        }
        #expect(windows.finish()?.sightings.first?.senders == 2)
    }

    @Test("senders beyond the bound count as unresolved, and all reports count")
    func unresolvedSenders() throws {
        var windows = Self.windows(from: 0, Windows.Settings(maxIdentities: 10))
        for sender in 0..<UInt64(25) {
            windows.count(Self.beacon(1, sender: sender), at: Self.at(1))
        }
        let window = try #require(windows.finish() as Window?)
        #expect(window.sightings.first?.senders == 10)
        #expect(window.radio.unresolvedSenders == 15)
        #expect(window.radio.beacons == 25)
        #expect(window.sightings.first?.count == 25)
        // The next window counts senders again.
        windows.count(Self.beacon(1, sender: 1), at: Self.at(2_000_000))
        windows.count(Self.beacon(1, sender: 2), at: Self.at(2_000_000))
        #expect(windows.finish()?.sightings.first?.senders == 2)
    }

    @Test("the table grows in a burst, shrinks after it, and loses no identity")
    func bursts() throws {
        var windows = Self.windows(from: 0)
        var end: Int64 = 1_000_000
        for size in [3, 40_000, 5, 0, 0, 1000, 1, 40_000, 0, 2] as [UInt16] {
            for minor in 0..<size {
                windows.count(Self.beacon(minor), at: Self.at(end - 1))
                windows.count(Self.beacon(size - 1 - minor), at: Self.at(end - 1))
            }
            let window = try #require(windows.close(upTo: Self.at(end)) as Window?)
            #expect(window.sightings.count == Int(size))
            #expect(window.sightings.allSatisfy { $0.count == 2 })
            end += 1_000_000
        }
    }
}
