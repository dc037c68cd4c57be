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

extension DayChangeTests {
    @Test("a site that folds its windows again keeps what is known of its gateways")
    func inherited() {
        let former = service()
        former.onConnection(true, at: Instant(microseconds: 0))
        former.update("e", wall: noon) { monitor in
            monitor.on(
                StatusMessage(
                    state: .offline, session: "a", at: noon, version: "1", clock: .synced))
        }
        let again = service()
        #expect(again.gateways.offline.isEmpty)
        again.inherit(former, wall: noon)
        #expect(again.gateways.offline == ["e"])
        #expect(again.gateways.isConnected)
    }

    @Test("a day does not wait for ever for a store that can't be read")
    func unreadableAtEnd() throws {
        // A folder has the place of the file.
        let store = SQLiteStore(path: folder.file(""), at: .now, merge: PeriodSummary.merged)
        defer { store.close() }
        let site = service(store: store)
        let wall = site.today.day.span.upperBound + .seconds(60)
        for number in 0..<600 {
            for gateway in ["e", "t"] {
                _ = site.take(window(UInt64(number), at: noon + .seconds(number)), from: gateway)
            }
        }
        site.release(before: wall, ifAbove: 10_000)
        for second in [0, 1, 600] {
            #expect(!site.closeDay(wall: wall + .seconds(second)).isClosed)
        }
        #expect(site.takeLacking() == nil)
        let results = site.closeWholeDay(wall: wall + .seconds(601))
        #expect(site.takeLacking()?.lowerBound == noon + .seconds(1))
        // They are unknown.
        #expect(results.minutes.map(\.start) == (0..<10).map { noon + .seconds($0 * 60) })
        #expect(site.today.day.span.lowerBound == wall - .seconds(60))
    }

    @Test(
        "a server that was away at the end of a day takes what the broker has kept of it, also after a restart"
    )
    func absence() throws {
        let server = try QueueServer()
        let store = server.store()
        defer { store.close() }
        let keys = DayKeys(folder: server.folder.file("keys"))
        let day = try server.site(store).today.day.span
        var batch = StoreBatch()
        batch.levels = [
            StoreBatch.Levels(site: "s", day: day.lowerBound, levels: LearntLevels().json.bytes)
        ]
        #expect(store.commit(batch, at: .now) == .durable)
        let noon = UnixTime(milliseconds: QueueServer.noon)
        let wall = day.upperBound + .seconds(4 * 3600)
        let kept = (0..<120).map { window(UInt64($0), at: noon + .seconds($0)) }
        let present = window(500, at: wall)
        for isRestarted in [false, true] {
            let site = try recovered(server.configuration, store, keys: keys, wall: wall)
            #expect(site.today.day.span == day)
            let outcome: MessageOutcome = isRestarted ? .repeated : .new
            for fact in kept { #expect(site.take(fact, from: "e") == outcome) }
            #expect(site.take(present, from: "e") == outcome)
            // Nothing is known of the present until the day is closed.
            _ = site.advance(through: UnixSecond(containing: wall))
            #expect(site.today.now.allSatisfy { $0.line == nil })
            #expect(!site.isDayOver(at: wall))
            guard isRestarted else {
                var batch = StoreBatch()
                for fact in kept + [present] { batch.add(fact, site: "s", gateway: "e") }
                #expect(store.commit(batch, at: .now) == .durable)
                continue
            }
            let results = site.closeWholeDay(wall: wall)
            #expect(results.minutes.map(\.start) == [noon, noon + .seconds(60)])
            #expect(site.today.day == LocalDay(containing: wall))
            #expect(site.today.estimator.newest == wall + .seconds(1))
        }
    }

    @Test("a store that can't be read: the site goes on with the day whose key there is")
    func unreadable() throws {
        let server = try QueueServer()
        let path = server.folder.file("store.sqlite")
        try File.makeFolders(path)
        let store = server.store()
        #expect(!store.isOpen)
        let day = LocalDay(containing: noon)
        let key = keys.key(of: "s", day)
        let wall = day.span.upperBound + .seconds(4 * 3600)
        let site = try recovered(server.configuration, store, keys: keys, wall: wall)
        #expect(site.today.day == day)
        #expect(keys.key(of: "s", day) == key)
        #expect(site.take(window(1, at: noon), from: "e") == .new)
    }

    @Test("a site without its stored windows waits for them, and stores no results of the others")
    func partial() throws {
        let site = service()
        let end = site.today.day.span.upperBound
        site.onConnection(true, at: .now)
        #expect((60...659).allSatisfy { !site.isDayOver(at: end + .seconds($0), isPartial: true) })
        #expect(site.isDayOver(at: end + .seconds(660), isPartial: true))

        let store = SQLiteStore(
            path: folder.file("store.sqlite"), at: .now, merge: PeriodSummary.merged)
        defer { store.close() }
        for isPartial in [true, false] {
            let site = service()
            let state = ServerState(
                session: .begin(), sites: [site], store: store,
                clock: ServerClock(
                    wall: Instant(microseconds: (end.milliseconds + 60_000) * 1000),
                    isDisciplined: true, at: .now))
            for second in 0..<120 {
                let fact = window(UInt64(second), at: noon + .seconds(second))
                #expect(site.take(fact, from: "e") == .new)
            }
            for number in 0..<10_000 as Range<UInt64> {
                _ = site.take(window(number, at: end + .milliseconds(Int(number))), from: "e")
            }
            var folding = FoldingTurns(log: Log(level: .error))
            while site.today.day.span.upperBound == end {
                folding.tick(state, isPartial: isPartial)
            }
            #expect(folding.uncommitted.isEmpty == isPartial)
        }
    }

    @Test("windows of the next day beyond their place must come again")
    func full() {
        let site = service()
        let end = site.today.day.span.upperBound
        var taken = 0
        while site.take(window(UInt64(taken), at: end + .milliseconds(taken)), from: "e") == .new {
            taken += 1
        }
        #expect(taken == 20_000 && site.today.isNextFull)
        #expect(site.take(window(20_000, at: end), from: "e") == nil)
        #expect(site.take(window(7, at: end + .milliseconds(7)), from: "e") == .repeated)
        #expect(site.isDayOver(at: end + .seconds(60)))
    }

    @Test("after a restart, a beacon has the same pseudonym")
    func restart() {
        let first = service().tag(identity, at: noon)
        #expect(first != nil)
        #expect(service().tag(identity, at: noon) == first)
    }
}
