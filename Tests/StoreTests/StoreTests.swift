import Facts
import Foundation
import Posix
import Primitives
import Queueing
import SQLite
import Sightings
import TestSupport
import TestVectors
import Testing

@testable import ResultStore
@testable import StoreSQLite

@Suite("store")
struct StoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func facts(
        _ store: any ResultStore, site: String = "store-1",
        in range: Range<UnixTime> = 0..<UnixTime.max
    ) throws -> [String] {
        var found: [String] = []
        let damaged = try store.facts(of: site, in: range) { gateway, fact in
            found.append(
                "\(gateway) \(fact.session) \(fact.number) \(fact.span.lowerBound.milliseconds)")
        }
        #expect(damaged == 0)
        return found
    }

    @Test("the number of published visits is of one method", arguments: TestEngine.available)
    func visitCounts(engine: TestEngine) throws {
        let store = try TestPlace(engine).open()
        defer { store.close() }
        let visits = { (count: Int, method: String) in
            StoreBatch.VisitCount(site: "s", queue: "q", day: 100, count: count, method: method)
        }
        let written = [visits(2, "a"), visits(1, "a"), visits(1, "b")]
        for (count, expected) in zip(written, [visits(2, "a"), visits(2, "a"), visits(1, "b")]) {
            var batch = StoreBatch()
            batch.visitCounts = [count]
            #expect(store.commit(batch, at: at(0)) == .durable)
            #expect(try store.visitCount(of: "q", at: "s", day: 100) == expected)
        }
        // In one batch, a later one comes behind an earlier one.
        var batch = StoreBatch()
        batch.visitCounts = [visits(7, "b"), visits(5, "b"), visits(3, "c")]
        #expect(store.commit(batch, at: at(0)) == .durable)
        #expect(try store.visitCount(of: "q", at: "s", day: 100) == visits(3, "c"))
    }

    @Test("a file of an older version names no method of its visits")
    func olderVisitCounts() throws {
        let path = folder.file("state/store.sqlite")
        let version = StoreSchema(steps: Array(StoreSchema.current.steps.prefix(3)))
        let old = SQLiteStore(
            StoreFile(path: path, schema: version, merge: addNumbers),
            retention: StoreRetention(), mostPendingBytes: 1 << 20, at: at(0))
        _ = try old.read { database throws(SQLiteError) in
            try database.connection.run(
                """
                INSERT INTO sites(id,name,shard) VALUES(1,'s',\(Shard.of("s")));
                INSERT INTO queues(id,site,name) VALUES(2,1,'q');
                INSERT INTO visit_counts(queue,day,count) VALUES(2,100,5);
                """)
        }
        old.close()
        let store = SQLiteStore(path: path, at: at(0), merge: addNumbers)
        defer { store.close() }
        #expect(
            try store.visitCount(of: "q", at: "s", day: 100)
                == .init(site: "s", queue: "q", day: 100, count: 5, method: ""))
    }

    @Test(
        "a committed batch is there after the next start, readable by the owner only",
        arguments: TestEngine.available)
    func committed(engine: TestEngine) throws {
        let place = try TestPlace(engine)
        var random = SeededGenerator(seed: 1)
        let written = (0..<50).map { _ in randomFact(&random) }
        var store = place.open()
        var batch = StoreBatch()
        for fact in written { batch.add(fact, site: "store-1", gateway: "till-1") }
        batch.levels = [.init(site: "store-1", day: 100, levels: [1, 2])]
        batch.counts = [.init(site: "store-1", gateway: "till-1", outcome: "new"): 50]
        #expect(store.commit(batch, at: at(0)) == .durable)
        #expect(store.state == .durable)
        store.close()
        store = place.open()
        var read: [WindowFact] = []
        #expect(try store.facts(of: "store-1", in: 0..<UnixTime.max) { read.append($1) } == 0)
        #expect(read.count == 50)
        let expected = written.sorted { $0.span.lowerBound < $1.span.lowerBound }
        #expect(zip(read, expected).allSatisfy(areIdentical))
        let levels = try #require(try store.levels(of: "store-1", at: 250))
        #expect(levels.day == 100)
        #expect(levels.levels == [1, 2])
        #expect(try store.levels(of: "store-1", at: 99) == nil)
        #expect(try store.counts().values.first == 50)
        for suffix in ["", "-wal", "-shm"] where File.exists(place.path + suffix) {
            #expect(try FilePermissions(of: place.path + suffix).mode & 0o777 == 0o600)
        }
        store.close()
    }

    @Test(
        "windows come in canonical order, whatever the order of their arrival",
        arguments: TestEngine.available)
    func order(engine: TestEngine) throws {
        let windows: [(gateway: String, fact: WindowFact)] = [
            ("entry", fact(1, start: 0)), ("till", fact(9, start: 0, session: "r")),
            ("entry", fact(2, start: 1000)), ("entry", fact(3, start: 1000, width: 500)),
            ("entry", fact(4, start: 1000, session: "a")), ("till", fact(10, start: 2000)),
        ]
        let expected = [
            "till r 9 0", "entry s 1 0", "entry s 3 1000", "entry a 4 1000", "entry s 2 1000",
            "till s 10 2000",
        ]
        for order in [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [3, 0, 5, 1, 4, 2]] {
            let store = try TestPlace(engine).open()
            for window in order {
                var batch = StoreBatch()
                batch.add(
                    windows[window].fact, site: "store-1", gateway: windows[window].gateway)
                #expect(store.commit(batch, at: at(0)) == .durable)
            }
            #expect(try facts(store) == expected)
            #expect(try facts(store, in: 1000..<2000) == Array(expected[2...4]))
            store.close()
        }
    }

    @Test(
        "the same facts, minutes and visits again change nothing", arguments: TestEngine.available)
    func repeated(engine: TestEngine) throws {
        let place = try TestPlace(engine)
        let store = place.open()
        var batch = StoreBatch()
        batch.add(fact(1, start: 0), site: "store-1", gateway: "entry")
        batch.add(fact(1, start: 0), site: "store-1", gateway: "entry")
        batch.minutes = [minute(0, value: 3), minute(60_000, value: 4)]
        batch.visits = [
            .init(
                site: "store-1", queue: "checkout", entered: 1, left: 2, tag: Tag(rawValue: .max),
                document: Array("{}".utf8))
        ]
        for _ in 0..<3 { #expect(store.commit(batch, at: at(0)) == .durable) }
        #expect(try facts(store).count == 1)
        let minutes = try store.minutes(of: "checkout", at: "store-1", in: 0..<UnixTime.max)
        #expect(minutes.map(\.start) == [0, 60_000])
        #expect(minutes.map(\.rev) == [1, 1])
        let all = 0..<UnixTime.max
        #expect(try store.visits(of: "checkout", at: "store-1", in: all) == [Array("{}".utf8)])
        let hours = try store.periods(.hour, of: "checkout", at: "store-1", in: all)
        #expect(hours.map { text($0.summary) } == ["7"])
        store.close()
    }

    @Test(
        "another site, gateway, session or number is another window",
        arguments: TestEngine.available)
    func distinct(engine: TestEngine) throws {
        let place = try TestPlace(engine)
        let store = place.open()
        var batch = StoreBatch()
        batch.add(fact(1, start: 0), site: "store-1", gateway: "entry")
        batch.add(fact(1, start: 0), site: "store-2", gateway: "entry")
        batch.add(fact(1, start: 0), site: "store-1", gateway: "till")
        batch.add(fact(1, start: 0, session: "t"), site: "store-1", gateway: "entry")
        batch.add(fact(2, start: 0), site: "store-1", gateway: "entry")
        #expect(store.commit(batch, at: at(0)) == .durable)
        #expect(try facts(store).count == 4)
        #expect(try facts(store, site: "store-2").count == 1)
        #expect(try facts(store, site: "store-3").isEmpty)
        store.close()
    }

    @Test(
        "a restatement replaces a minute, keeps its first values, and counts once in hour and day",
        arguments: TestEngine.available)
    func restatement(engine: TestEngine) throws {
        let place = try TestPlace(engine)
        let day: Range<Int64> = 1_800_000..<1_800_000 + 90_000_000
        let store = place.open()
        var batch = StoreBatch()
        batch.minutes = [
            minute(1_800_000, day: day, value: 1), minute(1_860_000, day: day, value: 2),
            // The second hour of the day, which begins at half past.
            minute(5_400_000, day: day, value: 10),
            // The last hour of a day of 25 hours.
            minute(91_740_000, day: day, value: 100),
        ]
        #expect(store.commit(batch, at: at(0)) == .durable)
        batch = StoreBatch()
        batch.minutes = [
            minute(1_860_000, day: day, rev: 3, isFinal: true, value: 5),
            // An earlier publication that comes late changes nothing.
            minute(1_800_000, day: day, rev: 0, value: 50),
        ]
        #expect(store.commit(batch, at: at(0)) == .durable)
        let all = 0..<UnixTime.max
        let minutes = try store.minutes(of: "checkout", at: "store-1", in: all)
        #expect(minutes.map { text($0.mark) } == ["first 1", "first 2", "first 10", "first 100"])
        #expect(minutes.map(\.rev) == [1, 3, 1, 1])
        #expect(minutes.map(\.isFinal) == [false, true, false, false])
        #expect(text(minutes[1].document) == "{\"rev\":3}")
        let hours = try store.periods(.hour, of: "checkout", at: "store-1", in: all)
        #expect(hours.map(\.start) == [1_800_000, 5_400_000, 88_200_000])
        #expect(hours.map(\.end) == [5_400_000, 9_000_000, 91_800_000])
        #expect(hours.map { text($0.summary) } == ["6", "10", "100"])
        let days = try store.periods(.day, of: "checkout", at: "store-1", in: all)
        #expect(days.map { text($0.summary) } == ["116"])
        #expect(days.map { $0.start..<$0.end } == [span(day)])
        store.close()
    }

    @Test(
        "a part of a time has a bounded number of windows; an equal start keeps them together",
        arguments: TestEngine.available)
    func parts(engine: TestEngine) throws {
        let place = try TestPlace(engine)
        let store = place.open()
        defer { store.close() }
        var batch = StoreBatch()
        for number in 0..<10 as Range<UInt64> {
            let start = Int64(number) / 2 * 1000
            batch.add(fact(number, start: start), site: "store-1", gateway: "entry")
        }
        #expect(store.commit(batch, at: at(0)) == .durable)
        func end(_ count: Int, _ range: Range<UnixTime>) throws -> Int64 {
            try store.end(of: count, of: "store-1", in: range).milliseconds
        }
        #expect(try end(4, 0..<9000) == 2000)
        #expect(try end(5, 0..<9000) == 2000)
        #expect(try end(4, 2000..<9000) == 4000)
        #expect(try end(10, 0..<9000) == 9000)
        #expect(try end(1, 2000..<9000) == 2001)
        #expect(try store.end(of: 4, of: "other", in: 0..<9000) == 9000)
    }

    @Test("ranges and limits select minutes and visits", arguments: TestEngine.available)
    func ranges(engine: TestEngine) throws {
        let place = try TestPlace(engine)
        let store = place.open()
        var batch = StoreBatch()
        batch.minutes = (0..<10).map { minute(Int64($0) * 60_000, value: $0) }
        batch.minutes.append(minute(0, value: 1, queue: "returns"))
        batch.visits = (0..<5 as Range<Int64>).map {
            .init(
                site: "store-1", queue: "checkout", entered: 0, left: UnixTime(milliseconds: $0),
                tag: nil,
                document: Array("\($0)".utf8))
        }
        #expect(store.commit(batch, at: at(0)) == .durable)
        let minutes = try store.minutes(
            of: "checkout", at: "store-1", in: 120_000..<360_000, limit: 3)
        #expect(minutes.map(\.start) == [120_000, 180_000, 240_000])
        let visits = try store.visits(of: "checkout", at: "store-1", in: 1..<4)
        #expect(visits.map(text) == ["1", "2", "3"])
        #expect(try store.minutes(of: "none", at: "store-1", in: 0..<UnixTime.max).isEmpty)
        store.close()
    }

    /// Test vectors of FNV-1a with 64 bits (draft-eastlake-fnv, section "Test vectors").
    @Test(
        "the shard is FNV-1a of the site, modulo 64",
        arguments: [
            ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] as [(String, UInt64)])
    func shard(site: String, hash: UInt64) { #expect(Shard.of(site) == Int64(hash % 64)) }

    @Test("receipts are stored once, and read by time", arguments: TestEngine.available)
    func receipts(engine: TestEngine) throws {
        let place = try TestPlace(engine)
        let first = place.open()
        var batch = StoreBatch()
        for (at, till) in [(20, "till-2"), (20, "till-1"), (10, "till-1"), (10, "till-1")] {
            let receipt = Receipt(till: till, count: 4, at: UnixSecond(Int64(at)))
            batch.add(receipt, site: "store-1", queue: "checkout")
        }
        #expect(first.commit(batch, at: at(0)) == .durable)
        #expect(first.commit(batch, at: at(0)) == .durable)
        let all = [("till-1", 10), ("till-1", 20), ("till-2", 20)].map {
            Receipt(till: $0.0, count: 4, at: UnixSecond(Int64($0.1)))
        }
        #expect(try first.receipts(of: "checkout", at: "store-1", in: 0..<20_001) == all)
        #expect(try first.receipts(of: "checkout", at: "store-1", in: 10_001..<20_000) == [])
        #expect(try first.receipts(of: "other", at: "store-1", in: 0..<20_001) == [])
        first.close()
    }
}
