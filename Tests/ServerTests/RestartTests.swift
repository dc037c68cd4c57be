import Facts
import Foundation
import HTTP
import JSON
import Logging
import Posix
import Primitives
import Queueing
import ResultStore
import SQLite
import ServerConfiguration
import StoreSQLite
import TestSupport
import Testing

@testable import Server

@Suite("a restart within a day")
struct RestartTests {
    /// 2026-11-22 12:00 UTC, far from any 04:00 of a time zone near Greenwich.
    private let noon: Int64 = 1_795_348_800_000
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func configuration(
        _ privacy: String, learningSeconds: Int = 0
    ) throws -> ServerConfiguration {
        let text = """
            {"mqtt": {"host": "b"}, "allowedLatenessMs": 30000, "privacy": "\(privacy)",
             "sites": [{"site": "s", "learningSeconds": \(learningSeconds),
             "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
            """
        return try ServerConfiguration(parsing: Array(text.utf8))
    }

    /// The power of a visitor who joins at 40 and leaves at 140, and of others 150 s later each.
    private func power(_ gateway: String, _ tag: Int, _ second: Int) -> Double? {
        let powers: (entry: Double, till: Double)? =
            switch second - tag * 150 {
            case 28..<38: (-58 - Double(40 - second + tag * 150) * 2, -84)
            case 38..<43: (-58, -70)
            case 43..<125: (-67, -66)
            case 125..<141: (-71, -58)
            case 141..<152: (-80, -58 - Double(second - tag * 150 - 140) * 3)
            default: nil
            }
        return gateway == "e" ? powers?.entry : powers?.till
    }

    private func window(_ gateway: String, _ second: Int) -> WindowFact {
        let start = UnixTime(milliseconds: noon + Int64(second) * 1000)
        let readings = (0...2).compactMap { tag in
            power(gateway, tag, second).map {
                Reading(
                    tag: Tag(rawValue: UInt64(tag)), power: $0, count: 5,
                    seen: start...start + .milliseconds(900), senders: 1)
            }
        }
        return WindowFact(
            session: gateway, numbers: UInt64(second)...UInt64(second),
            span: start..<start + .seconds(1),
            readings: readings)
    }

    /// The results that a server publishes which runs for these seconds.
    private func run(
        _ seconds: Range<Int>, _ configuration: ServerConfiguration
    ) throws -> [String] {
        let now = Instant(microseconds: 0)
        let store = SQLiteStore(
            path: folder.file("store.sqlite"), at: now, merge: PeriodSummary.merged)
        defer { store.close() }
        let wall = UnixTime(milliseconds: noon) + .seconds(seconds.lowerBound)
        let source = try ConfiguredSites(
            configuration, store: store, keys: DayKeys(folder: folder.file("keys")))
        var recovery = source.recoveries(wall: wall)[0]
        let site = recovery.site
        var published: [String] = []
        let publish = { (results: Site.Results, batch: StoreBatch) in
            var (batch, uncommitted) = (batch, UncommittedResults())
            uncommitted.add(results, site: "s")
            uncommitted.add(to: &batch)
            #expect(store.commit(batch, at: now) == .durable)
            published += results.visits.map { String(decoding: $0.document, as: UTF8.self) }
            published += results.minutes.filter(\.isFinal).map { "minute \($0.start.milliseconds)" }
        }
        var isRecovered = false
        while !isRecovered {
            let step = recovery.step(wall: wall)
            publish(step.results, StoreBatch())
            isRecovered = step.isDone
        }
        for second in seconds {
            var batch = StoreBatch()
            for gateway in ["e", "t"] {
                let fact = window(gateway, second)
                #expect(site.take(fact, from: gateway) == .new)
                batch.add(fact, site: "s", gateway: gateway)
            }
            publish(
                site.advanceWholly(through: UnixSecond(noon / 1000 + Int64(second) + 1)), batch)
        }
        return published
    }

    @Test(
        "final minutes and visits that were published before it are not published again, and counts are no visits",
        arguments: ["day", "counts"])
    func published(privacy: String) throws {
        let configuration = try configuration(privacy)
        let visits = privacy == "day" ? 1 : 0
        let first = try run(0..<260, configuration)
        #expect(first.count { $0.contains("visit") } == visits)
        #expect(first.count { $0.hasPrefix("minute") } > 1)
        let second = try run(260..<420, configuration)
        #expect(second.count { $0.contains("visit") } == visits)
        #expect(second.count { $0.hasPrefix("minute") } > 1)
        #expect(Set(first + second).count == first.count + second.count)
        try checkVisits(configuration, areKept: privacy == "day")
    }

    /// Looks for the two visits in the table, and asks the API for them.
    private func checkVisits(_ configuration: ServerConfiguration, areKept: Bool) throws {
        let store = SQLiteStore(
            path: folder.file("store.sqlite"), at: .now, merge: PeriodSummary.merged)
        defer { store.close() }
        let visits = try store.visits(of: "q", at: "s", in: 0..<UnixTime.max)
        #expect(visits.count == (areKept ? 2 : 0))
        let wall = UnixTime(milliseconds: noon) + .seconds(420)
        let site = try recovered(
            configuration, store, keys: DayKeys(folder: folder.file("keys")), wall: wall)
        let state = ServerState(
            session: .begin(), sites: [site], store: store,
            clock: ServerClock(
                wall: Instant(microseconds: wall.milliseconds * 1000), isDisciplined: true,
                at: .now))
        let response = try state.answer("/api/v1/sites/s/queues/q/visits")
        guard areKept else { return #expect(response.status == .notFound) }
        guard case .bytes(let bytes) = response.body,
            case .array(let list)? = try JSON(parsing: bytes, maxBytes: 1 << 20)["visits"]
        else { throw TestFailure("no list of visits: \(response)") }
        #expect(list.count == 2)
    }

    @Test(
        "after a change of the layout, no visit is published twice, and none that comes later is missing",
        arguments: [(0, 140), (140, 0)])
    func changed(learning: (before: Int, after: Int)) throws {
        // While a gateway learns, the first visitor is not seen.
        let before = try configuration("day", learningSeconds: learning.before)
        let after = try configuration("day", learningSeconds: learning.after)
        let visits = { (seconds: Range<Int>, configuration: ServerConfiguration) in
            try run(seconds, configuration).filter { $0.contains("visit") }
        }
        let first = try visits(0..<420, before)
        #expect(first.count == (learning.before == 0 ? 2 : 1))
        let second = try visits(420..<580, after)
        #expect(second.count == 1)
        // The next restart counts by the new layout.
        let third = try visits(580..<600, after)
        #expect(third.isEmpty)
        #expect(Set(first + second).count == first.count + second.count)
    }

    @Test("a damaged index of the windows: the site goes on, and folds the day once it is repaired")
    func damaged() throws {
        let server = try QueueServer()
        let first = server.store()
        var batch = StoreBatch()
        for second in 0..<1800 as Range<Int64> {
            for gateway in ["e", "t"] {
                batch.add(QueueServer.window(second), site: "s", gateway: gateway)
            }
        }
        #expect(first.commit(batch, at: .now) == .durable)
        first.close()
        try damageKeys(
            of: QueueServer.noon + 1_500_000, in: server.folder.file("store.sqlite"))
        let store = server.store()
        defer { store.close() }
        let source = try ConfiguredSites(
            server.configuration, store: store,
            keys: DayKeys(folder: server.folder.file("keys")))
        let wall = UnixTime(milliseconds: QueueServer.noon) + .seconds(1800)
        let recover = {
            let found = source.recoveries(wall: wall)
            var recoveries = Recoveries(found, store: store)
            while !recoveries.isDone {
                _ = recoveries.step(wall: wall, .certain, at: .now)
            }
            return (site: found[0].site, isPartial: recoveries.isPartial)
        }
        #expect(recover().isPartial)
        while !store.retry(at: .now) { usleep(1000) }
        let (site, isPartial) = recover()
        #expect(!isPartial)
        for gateway in ["e", "t"] {
            for second in 0..<1800 as Range<Int64> {
                let outcome = site.take(QueueServer.window(second), from: gateway)
                #expect(outcome == .repeated)
            }
        }
    }

    @Test("a damaged table that is read: the site goes on, and folds the day once it is repaired")
    func damagedTable() throws {
        let server = try QueueServer()
        let first = server.store()
        var batch = StoreBatch()
        for second in 0..<600 as Range<Int64> {
            batch.add(QueueServer.window(second), site: "s", gateway: "e")
        }
        #expect(first.commit(batch, at: .now) == .durable)
        first.close()
        // The first page of the index of the sessions (sqlite.org/fileformat2.html, section 1.6).
        let path = server.folder.file("store.sqlite")
        let reader = try SQLiteDatabase(path: path, .read)
        let page = try #require(
            try reader.number(
                "SELECT rootpage FROM sqlite_schema WHERE name='sqlite_autoindex_sources_1'"))
        reader.close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(page - 1) * 4096)
        try file.write(contentsOf: [0xff, 0xff, 0xff, 0xff, 0xff])
        try file.close()
        let store = server.store()
        defer { store.close() }
        let source = try ConfiguredSites(
            server.configuration, store: store,
            keys: DayKeys(folder: server.folder.file("keys")))
        let wall = UnixTime(milliseconds: QueueServer.noon) + .seconds(600)
        var recoveries = Recoveries(source.recoveries(wall: wall), store: store)
        while !recoveries.isDone {
            _ = recoveries.step(wall: wall, .certain, at: .now)
        }
        #expect(recoveries.isPartial)
    }

    @Test("a step of a recovery takes some hundred windows, also after hours without any")
    func steps() throws {
        let server = try QueueServer()
        let store = server.store()
        defer { store.close() }
        var batch = StoreBatch()
        for second in 0..<1800 as Range<Int64> {
            for gateway in ["e", "t"] {
                batch.add(QueueServer.window(second), site: "s", gateway: gateway)
            }
        }
        #expect(store.commit(batch, at: .now) == .durable)
        let source = try ConfiguredSites(
            server.configuration, store: store,
            keys: DayKeys(folder: server.folder.file("keys")))
        let wall = UnixTime(milliseconds: QueueServer.noon) + .seconds(1800)
        var recovery = source.recoveries(wall: wall)[0]
        var newest = UnixTime(milliseconds: QueueServer.noon)
        while !recovery.step(wall: wall).isDone {
            guard let next = recovery.site.today.estimator.newest else { continue }
            // 400 windows of two gateways.
            #expect(next - newest <= .seconds(200))
            newest = next
        }
        #expect(recovery.site.today.estimator.newest == wall)
    }
}
