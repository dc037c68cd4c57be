import Logging
import Posix
import Primitives
import Queueing
import ServerConfiguration
import Store
import TestSupport
import Testing

@testable import Server

@Suite("retention in the server")
struct StoreKeeperTests {
    private let hour = Duration.seconds(3600)

    /// 1 August 2026.
    private let wall: UnixTime = 1_785_542_400_000

    private func store(_ folder: TemporaryFolder) -> Store {
        let store = Store(
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
