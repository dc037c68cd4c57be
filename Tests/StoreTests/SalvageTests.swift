import Foundation
import Posix
import Primitives
import SQLite
import TestSupport
import TestVectors
import Testing

@testable import ResultStore
@testable import StoreSQLite

/// One page of a store is overwritten. SQLite's own table `dbstat` tells what the page was.
@Suite("store with a damaged page")
struct SalvageTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("state/store.sqlite") }

    private static let page = 4096
    private static let facts = 800
    private static let start: Int64 = 1_700_000_000_000

    init() throws { folder = try TemporaryFolder() }

    /// What a page was.
    private struct Page {
        let number: Int
        /// The tree: a table or an index.
        let name: String
        let kind: String
        let cells: Int
    }

    private func store() -> SQLiteStore {
        SQLiteStore(
            path: path, journal: folder.file("other/journal.sqlite"), at: at(0), merge: addNumbers)
    }

    /// A store with inner pages, closed.
    private func written(_ random: inout SeededGenerator) throws -> [Page] {
        let store = store()
        for hour in 0..<20 as Range<Int64> {
            var batch = StoreBatch()
            for number in hour * 40..<hour * 40 + 40 {
                batch.add(
                    fact(
                        UInt64(number), start: Self.start + number * 1000,
                        session: "session-\(number % 120)",
                        readings: randomFact(&random, readings: 6).readings),
                    site: "store-1", gateway: "entry")
            }
            batch.minutes = [minute(Self.start + hour * 3_600_000, value: Int(hour))]
            for gateway in 0..<20 {
                let counter = StoreBatch.Counter(
                    site: "store-1", gateway: "gateway-\(hour)-\(gateway)", outcome: "new")
                batch.counts[counter] = 1
            }
            #expect(store.commit(batch, at: at(0)) == .durable)
        }
        // A table that is gone leaves free pages.
        _ = try store.read { database throws(SQLiteError) in
            try database.connection.run(
                """
                CREATE TABLE gone(body BLOB);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i+1 FROM n WHERE i<50)
                INSERT INTO gone SELECT zeroblob(3000) FROM n; DROP TABLE gone;
                """)
        }
        store.close()
        let database = try SQLiteDatabase(path: path)
        defer { database.close() }
        var pages: [Page] = []
        try database.query("SELECT pageno,name,pagetype,ncell FROM dbstat") {
            pages.append(
                Page(
                    number: Int($0.integer(0)), name: $0.text(1), kind: $0.text(2),
                    cells: Int($0.integer(3))))
        }
        return pages
    }

    private func overwrite(_ page: Int, _ random: inout SeededGenerator) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let start = (page - 1) * Self.page
        let noise = (0..<Self.page).map { _ in UInt8.random(in: 0...255, using: &random) }
        bytes.replaceSubrange(start..<start + Self.page, with: noise)
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// The windows that the store has after the damage is noticed, which happens by itself.
    private func found() throws -> (facts: Int, isReplaced: Bool) {
        let store = store()
        defer { store.close() }
        for _ in 0..<60_000 where !store.isChecked || !store.retry(at: at(60)) {
            store.checkNext(at: at(1))
            usleep(1000)
        }
        try #require(store.isChecked)
        #expect(store.state == .durable)
        let isReplaced = store.takeEvents().contains {
            if case .replaced = $0 { true } else { false }
        }
        return (try numbers(store).count, isReplaced)
    }

    /// The trees with leaves; most are too small for inner pages.
    private static let trees = [
        "sites", "queues", "sources", "facts", "minutes", "site_days", "counters",
        "sqlite_autoindex_sites_1", "sqlite_autoindex_sources_1", "sqlite_autoindex_facts_1",
        "sqlite_schema",
    ]
    private static let large = ["facts", "counters", "sqlite_autoindex_facts_1"]

    @Test(
        "one damaged page loses the rows of this page alone, and is noticed",
        arguments: trees.map { ($0, "leaf") } + large.map { ($0, "internal") })
    func page(tree: String, kind: String) throws {
        var random = SeededGenerator(seed: 7)
        let pages = try written(&random)
        let candidates = pages.filter { $0.name == tree && $0.kind == kind }
        let damaged = try #require(candidates.randomElement(using: &random))
        try overwrite(damaged.number, &random)
        let lost = tree == "facts" && kind == "leaf" ? damaged.cells : 0
        let (facts, isReplaced) = try found()
        #expect(facts == Self.facts - lost, "\(damaged)")
        #expect(isReplaced, "\(damaged)")
    }

    @Test("a damaged header, or page of the list of free pages, loses no row", arguments: 0..<4)
    func others(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let used = Set(try written(&random).map(\.number))
        if seed == 0 {
            try overwrite(1, &random)
        } else {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            // The first page of the list is in the header (sqlite.org/fileformat2.html, section 1.3.10).
            let first = bytes[32..<36].reduce(0) { $0 << 8 | Int($1) }
            let free = (3...bytes.count / Self.page).filter { !used.contains($0) }
            #expect(free.contains(first))
            let page = seed == 1 ? first : free.randomElement(using: &random)
            try overwrite(try #require(page), &random)
        }
        #expect(try found().facts == Self.facts)
    }

    @Test("an index of the log that another program has truncated is built again")
    func truncatedIndex() throws {
        let store = store()
        #expect(store.commit(batch(0..<2), at: at(1)) == .durable)
        for (round, bytes) in [0, 100, 20_000].enumerated() {
            try FileHandle(forWritingTo: URL(fileURLWithPath: path + "-shm"))
                .truncate(atOffset: UInt64(bytes))
            #expect(try numbers(store).count == 2 + 2 * round)
            #expect(store.takeEvents() == [.indexTruncated(path: path)])
            let next = UInt64(2 + 2 * round)
            try FileHandle(forWritingTo: URL(fileURLWithPath: path + "-shm"))
                .truncate(atOffset: UInt64(bytes))
            #expect(store.commit(batch(next..<next + 2), at: at(2)) == .durable)
            #expect(store.takeEvents() == [.indexTruncated(path: path)])
        }
        store.close()
        #expect(try numbers(self.store()) == Array(0..<8))
    }
}
