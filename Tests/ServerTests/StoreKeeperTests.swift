import Facts
import Logging
import Posix
import Primitives
import Queueing
import ResultStore
import ServerConfiguration
import StoreSQLite
import TestSupport
import Testing

@testable import Server

@Suite("retention in the server")
struct StoreKeeperTests {
    private let hour = Duration.seconds(3600)

    /// 1 August 2026.
    private let wall: UnixTime = 1_785_542_400_000

    private func store(_ folder: TemporaryFolder) -> SQLiteStore {
        let store = SQLiteStore(
            path: folder.file("store.sqlite"), at: Instant(microseconds: 0),
            merge: PeriodSummary.merged)
        var batch = StoreBatch()
        for age in 0..<60 as Range<Int64> {
            let start = wall - hour * age
            batch.add(
                WindowFact(
                    session: "a", numbers: UInt64(age)...UInt64(age),
                    span: start..<start + .seconds(1),
                    readings: []), site: "store-1", gateway: "entry")
        }
        let outcome = store.commit(batch, at: Instant(microseconds: 0))
        #expect(outcome == .durable)
        return store
    }

    @Test("windows older than 24 hours go, those of a running day stay", arguments: [0, 30])
    func retention(dayAge: Int) throws {
        let folder = try TemporaryFolder()
        let store = store(folder)
        var keeper = StoreKeeper()
        let day = LocalDay(containing: wall - hour * dayAge)
        let log = Log(level: .error)
        keeper.tick(
            store, [day], wall: wall, log, at: Instant(microseconds: 0))
        var oldest = UnixTime.max
        _ = try store.facts(of: "store-1", in: 0..<UnixTime.max) { _, fact in
            oldest = min(oldest, fact.span.lowerBound)
        }
        let limit = min(wall - hour * 24, day.span.lowerBound)
        #expect(oldest >= limit)
        #expect(oldest < limit + hour)
        store.close()
    }

    /// A store with the retention of a configuration, after all is done that is due.
    private func expired(
        _ retention: String, in folder: TemporaryFolder, _ batches: [StoreBatch]
    ) throws -> SQLiteStore {
        let text = #"""
            {"mqtt": {"host": "b"}, "retention": \#(retention),
             "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
            """#
        let configuration = try ServerConfiguration(parsing: Array(text.utf8))
        let start = Instant(microseconds: 0)
        let store = SQLiteStore(
            path: folder.file("store.sqlite"), retention: StoreRetention(configuration), at: start,
            merge: PeriodSummary.merged)
        for batch in batches {
            let outcome = store.commit(batch, at: start)
            #expect(outcome == .durable)
        }
        // While a thread checks the file, its log stays.
        let isChecked = Deadline.wait {
            store.checkNext(at: start)
            return store.isChecked
        }
        try #require(isChecked)
        var keeper = StoreKeeper()
        // Each call removes a few hundred rows; a pause follows once nothing is left to remove.
        for call in 0..<400 as Range<Int64> {
            keeper.tick(
                store, [LocalDay(containing: wall)], wall: wall, Log(level: .error),
                at: start + .seconds(call * 61))
        }
        // A check that still ends is in the way of the last shrinking.
        #expect(Deadline.wait { store.forget() })
        return store
    }

    private func minute(_ start: UnixTime, bytes: Int = 2) -> StoreBatch.Minute {
        StoreBatch.Minute(
            site: "s", queue: "q", start: start, end: start + .seconds(60),
            day: LocalDay(containing: start).span, rev: 1, isFinal: true,
            document: Array(repeating: UInt8(ascii: "x"), count: bytes), mark: [1],
            summary: PeriodSummary().stored.bytes)
    }

    @Test("minutes, hours and days live as long as the file says")
    func days() throws {
        let folder = try TemporaryFolder()
        var batch = StoreBatch()
        batch.minutes = (0..<240 as Range<Int64>).map { minute(wall - hour * $0) }
        let store = try expired(#"{"minutesDays": 2, "hoursDays": 5}"#, in: folder, [batch])
        defer { store.close() }
        let day = hour * 24
        let all = 0..<UnixTime.max
        let minutes = try store.minutes(of: "q", at: "s", in: all)
        #expect(minutes.count == 49)
        #expect(minutes.first?.start == wall - day * 2)
        let hours = try store.periods(.hour, of: "q", at: "s", in: all)
        #expect((120...121).contains(hours.count))
        let days = try store.periods(.day, of: "q", at: "s", in: all)
        #expect((5...6).contains(days.count))
    }

    @Test("the store is no larger than the file says")
    func size() throws {
        let folder = try TemporaryFolder()
        // 80 MiB, of days that are long over.
        let newest = wall - hour * 240
        let batches = (0..<20 as Range<Int64>).map { part in
            var batch = StoreBatch()
            batch.minutes = (0..<64 as Range<Int64>).map { number in
                minute(newest - .seconds(60 * (part * 64 + number)), bytes: 65_536)
            }
            return batch
        }
        let store = try expired(#"{"maxMebibytes": 64}"#, in: folder, batches)
        defer { store.close() }
        let size = try #require(File.size(folder.file("store.sqlite")))
        // The limit counts used pages; the file also has some free ones.
        #expect(size < 66 << 20)
        #expect(size > 32 << 20)
        let minutes = try store.minutes(of: "q", at: "s", in: 0..<UnixTime.max)
        #expect(minutes.last?.start == newest)
    }

    @Test(
        "a damaged store that was set aside is erased after 24 hours and the end of its day",
        arguments: [
            (20, 0, ServerConfiguration.Privacy.day, true), (25, 0, .day, false),
            (25, 30, .day, true), (5, 0, .counts, false), (0, 0, .counts, true),
        ])
    func setAside(
        age: Int, dayAge: Int, privacy: ServerConfiguration.Privacy, stays: Bool
    ) throws {
        let folder = try TemporaryFolder()
        let store = store(folder)
        defer { store.close() }
        var configuration = ServerConfiguration()
        configuration.privacy = privacy
        store.retention = StoreRetention(configuration)
        // 05:00 of the machine's zone: the day is an hour old.
        let wall = LocalDay(containing: wall).span.lowerBound + hour
        let time = UTCTime(wall - hour * age)
        let stamp = "\(time.date)T\(time.clock)Z".filter { $0 != "-" && $0 != ":" }
        let name = "store.sqlite.damaged-\(stamp)"
        try folder.write("rows", to: name)
        var keeper = StoreKeeper()
        for seconds in 0..<3 as Range<Int64> {
            keeper.tick(
                store, [LocalDay(containing: wall - hour * dayAge)], wall: wall,
                Log(level: .error), at: Instant(microseconds: seconds * 1_000_000))
        }
        #expect(File.exists(folder.file(name)) == stays)
        #expect(keeper.faults.isEmpty)
    }
}
