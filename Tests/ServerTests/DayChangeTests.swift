import Beacons
import Contract
import Facts
import JSON
import Logging
import Posix
import Primitives
import Queueing
import ResultStore
import ServerConfiguration
import Sightings
import StoreSQLite
import TestSupport
import Testing

@testable import Server

@Suite("the end of a day")
struct DayChangeTests {
    let folder: TemporaryFolder
    let keys: DayKeys
    private let layout: SiteLayout
    let identity: BeaconIdentity
    /// 2026-11-22 12:00 UTC, far from any 04:00 of a time zone near Greenwich.
    let noon: UnixTime = 1_795_348_800_000

    init() throws {
        folder = try TemporaryFolder()
        keys = DayKeys(folder: folder.file("keys"))
        let text = """
            {"mqtt": {"host": "b"}, "sites": [{"site": "s",
             "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
            """
        layout = try ServerConfiguration(parsing: Array(text.utf8)).sites[0]
        let uuid = try #require(ProximityUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0"))
        identity = BeaconIdentity(uuid: uuid, major: 1, minor: 2)
    }

    func service(
        acceptsUnsyncedClocks: Bool = false, store: SQLiteStore? = nil
    ) -> Site {
        var layout = layout
        layout.acceptsUnsyncedClocks = acceptsUnsyncedClocks
        let day = OpenDay(
            LocalDay(containing: noon), layout, levels: LearntLevels(),
            allowedLateness: .seconds(3600))
        return Site(
            layout, day, allowedLateness: .seconds(3600), keepsVisits: true, keys: keys,
            store: store
                ?? SQLiteStore(
                    path: folder.file("none.sqlite"), at: .now, merge: PeriodSummary.merged),
            wall: noon)
    }

    func window(_ number: UInt64, at start: UnixTime) -> WindowFact {
        WindowFact(
            session: "a", numbers: number...number,
            span: start..<start + .seconds(1), readings: [])
    }

    @Test(
        "a day is closed a minute after its end, if the broker is connected and has no more windows of it"
    )
    func due() {
        let day = LocalDay(containing: noon)
        let end = day.span.upperBound
        func due(
            _ closing: inout DayClosing, _ seconds: Int, isConnected: Bool = true,
            hasNew: Bool = false, isNextFull: Bool = false
        ) -> Bool {
            closing.isDue(
                at: end + .seconds(seconds), isConnected: isConnected, hasNew: hasNew,
                isNextFull: isNextFull)
        }
        var always = DayClosing(day)
        #expect((0...59).allSatisfy { !due(&always, $0, hasNew: $0 < 3, isNextFull: true) })
        #expect(due(&always, 60))
        // Once decided, a late window does not interrupt it.
        #expect(due(&always, 61, hasNew: true))

        var back = DayClosing(day)
        #expect((3000...3100).allSatisfy { !due(&back, $0, isConnected: false) })
        // The broker sends what it has kept for some seconds.
        #expect((3101...3113).allSatisfy { !due(&back, $0, hasNew: $0 < 3105) })
        #expect(due(&back, 3114))

        var full = DayClosing(day)
        #expect(!due(&full, 3000))
        #expect(due(&full, 3001, isNextFull: true))

        var away = DayClosing(day)
        #expect((60...659).allSatisfy { !due(&away, $0, isConnected: false) })
        #expect(due(&away, 660, isConnected: false))

        var wrongClock = DayClosing(day)
        #expect((60...659).allSatisfy { !due(&wrongClock, $0, hasNew: true) })
        #expect(due(&wrongClock, 660, hasNew: true))
    }

    @Test("all minutes of a closed day become final")
    func closing() throws {
        let site = service()
        let end = site.today.day.span.upperBound
        for number in 0..<120 {
            for gateway in ["e", "t"] {
                let fact = window(UInt64(number), at: noon + .seconds(number))
                #expect(site.take(fact, from: gateway) == .new)
            }
        }
        // Within the allowed lateness, some of them may change.
        let before = site.advanceWholly(through: UnixSecond(containing: noon + .seconds(130)))
        #expect(before.minutes.contains { !$0.isFinal })
        let after = site.closeWholeDay(wall: end + .seconds(60))
        let areFinal = after.minutes.allSatisfy { $0.isFinal }
        #expect(areFinal)
        #expect(
            Set((before.minutes.filter(\.isFinal) + after.minutes).map(\.start))
                == [noon, noon + .seconds(60)])
        #expect(after.levels.map(\.day) == [end])
        #expect(site.today.day.span.lowerBound == end)
    }

    @Test("windows of the next day in the store do not come back into the day that is closed")
    func releasedBeforeNextDay() throws {
        let store = SQLiteStore(
            path: folder.file("store.sqlite"), at: .now, merge: PeriodSummary.merged)
        defer { store.close() }
        let (whole, released) = (service(), service(store: store))
        let end = whole.today.day.span.upperBound
        var batch = StoreBatch()
        for number in 0..<300 as Range<Int64> {
            for gateway in ["e", "t"] {
                // The last ones are a minute after the end of the day.
                let start =
                    number < 240 ? end - .seconds(270 - number) : end + .seconds(number - 180)
                let fact = window(UInt64(number), at: start)
                batch.add(fact, site: "s", gateway: gateway)
                for site in [whole, released] { _ = site.take(fact, from: gateway) }
            }
        }
        #expect(store.commit(batch, at: .now) == .durable)
        let wall = end + .seconds(600)
        released.release(before: wall, ifAbove: 10_000)
        // As the loop does it: the folds go on between the parts.
        let minutes = [whole, released].map { site in
            var minutes: [StoreBatch.Minute] = []
            var isClosed = false
            while !isClosed {
                minutes += site.advance(through: UnixSecond(containing: wall)).minutes
                let part = site.closeDay(wall: wall)
                minutes += part.results.minutes
                isClosed = part.isClosed
            }
            return minutes.filter(\.isFinal).map(\.document)
        }
        #expect(minutes[0].count > 3)
        #expect(minutes[1] == minutes[0])
    }

    @Test("a day is closed in parts, with the same results")
    func parts() {
        let (whole, parted) = (service(), service())
        for number in 0..<1800 {
            for gateway in ["e", "t"] {
                let fact = window(UInt64(number), at: noon + .seconds(number))
                _ = whole.take(fact, from: gateway)
                _ = parted.take(fact, from: gateway)
            }
        }
        let wall = whole.today.day.span.upperBound + .seconds(60)
        let expected = whole.closeWholeDay(wall: wall).minutes
        #expect(expected.count == 30)
        var (results, isClosed) = parted.closeDay(wall: wall)
        var parts = 1
        while !isClosed {
            let part = parted.closeDay(wall: wall)
            // A part folds ten seconds, and closes a minute at most.
            #expect(part.results.minutes.count <= 1 || part.isClosed)
            results = results + part.results
            isClosed = part.isClosed
            parts += 1
        }
        #expect(parts >= 180)
        #expect(results.minutes == expected)
    }

    @Test("the first minutes of a day are final at once where the gateways go on without a hole")
    func noHole() {
        let site = service()
        let end = site.today.day.span.upperBound
        for second in -5..<300 {
            if second == 0 { _ = site.closeWholeDay(wall: end + .seconds(60)) }
            for gateway in ["e", "t"] where gateway == "e" || second != 260 {
                let fact = window(UInt64(second + 5), at: end + .seconds(second))
                #expect(site.take(fact, from: gateway) == .new)
            }
        }
        let minutes = site.advanceWholly(through: UnixSecond(containing: end + .seconds(300)))
            .minutes
        // At 260 s, the till has a hole.
        #expect(
            minutes.filter(\.isFinal).map(\.start)
                == [end, end + .seconds(60), end + .seconds(120)])
    }

    @Test("windows of the next day wait for it; those of the day before are late")
    func early() {
        let site = service()
        let end = site.today.day.span.upperBound
        #expect(site.take(window(1, at: end), from: "e") == .new)
        #expect(site.take(window(1, at: end), from: "e") == .repeated)
        #expect(site.today.estimator.newest == nil)
        _ = site.closeWholeDay(wall: end + .seconds(60))
        #expect(site.today.estimator.newest == end + .seconds(1))
        #expect(site.take(window(2, at: end - .seconds(1)), from: "e") == .late)
    }

    @Test("days between the last day and the present are not skipped, and their pseudonyms stay")
    func severalDays() {
        let site = service()
        let first = site.today.day.span.upperBound
        let second = LocalDay(containing: first).span.upperBound
        let wall = second + .seconds(7200)
        let tags = [first, second, first].map { site.tag(identity, at: $0) }
        #expect(tags[0] == tags[2] && tags[0] != tags[1])
        #expect(site.take(window(2, at: second), from: "e") == .new)
        #expect(site.take(window(1, at: first), from: "e") == .new)
        _ = site.closeWholeDay(wall: wall)
        #expect(site.today.day.span.lowerBound == first)
        #expect(site.tag(identity, at: first) == tags[0])
        // A restart forgets the pseudonyms, but not the keys.
        #expect(service().tag(identity, at: second) == tags[1])
        _ = site.closeWholeDay(wall: wall)
        #expect(site.today.day.span.lowerBound == second)
        #expect(site.take(window(2, at: second), from: "e") == .repeated)
        #expect(site.tag(identity, at: second) == tags[1])
        _ = site.closeWholeDay(wall: wall)
        #expect(site.today.day == LocalDay(containing: wall))
    }

    @Test("the key of a closed day is destroyed, and a beacon gets another pseudonym")
    func keysOfDays() throws {
        let site = service()
        let end = site.today.day.span.upperBound
        let first = try #require(site.tag(identity, at: noon))
        #expect(site.tag(identity, at: noon + .milliseconds(1)) == first)
        let second = try #require(site.tag(identity, at: end))
        #expect(second != first)
        #expect(Folder.names(in: folder.file("keys")).count == 2)
        _ = site.closeWholeDay(wall: end + .seconds(60))
        keys.keep(NeededKeys(running: ["s": site.today.day], wall: end + .seconds(60)))
        #expect(Folder.names(in: folder.file("keys")).count == 1)
        #expect(site.tag(identity, at: end) == second)
    }

    @Test(
        "a queue names the gateway whose clock is not set, unless the site accepts that",
        arguments: [(false, "unsynced"), (true, "unknown")])
    func unsynced(isAccepted: Bool, state: String) {
        let site = service(acceptsUnsyncedClocks: isAccepted)
        let now = Instant(microseconds: 0)
        let message = SightingsMessage(
            site: "s", gateway: "e", session: "a", seq: 1, windowStart: noon - .seconds(1),
            windowEnd: noon, clock: .unsynced, radio: RadioCounts(), sightings: [])
        site.update("e", wall: noon) { $0.on(message, at: now, wall: noon) }
        let text = site.dueStates(isDurable: true, at: now)
            .map { String(decoding: $0.document, as: UTF8.self) }.joined()
        #expect(text.contains(#"{"gateway":"e","state":"\#(state)","since":null,"until":null}"#))
        #expect(text.contains(#"{"gateway":"t","state":"unknown","since":null,"until":null}"#))
    }

    @Test("a queue names the gateway that is offline, whatever its clock")
    func offline() {
        let site = service()
        let now = Instant(microseconds: 0)
        site.onConnection(true, at: now)
        site.update("t", wall: noon) {
            $0.on(
                StatusMessage(
                    state: .offline, session: "a", at: noon, version: "1", clock: .unsynced))
        }
        _ = site.tickGateways(at: now, wall: noon)
        let text = site.dueStates(isDurable: true, at: now)
            .map { String(decoding: $0.document, as: UTF8.self) }.joined()
        #expect(text.contains(#"{"gateway":"t","state":"offline","since":null,"until":null}"#))
        #expect(text.contains(#"{"gateway":"e","state":"unknown","since":null,"until":null}"#))
    }
}
