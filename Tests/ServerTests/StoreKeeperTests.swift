import Logging
import Posix
import Primitives
import Queueing
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
}
