import Facts
import Primitives
import Queueing
import SQLite
import TestSupport
import Testing

@testable import ResultStore
@testable import StoreSQLite

@Suite("declared tables")
struct StoreTableTests {
    /// The statements of the released versions 1 to 8 of the file.
    private static let released = [
        """
        CREATE TABLE sites(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
          shard INTEGER NOT NULL);
        CREATE TABLE queues(id INTEGER PRIMARY KEY, site INTEGER NOT NULL, name TEXT NOT NULL,
          UNIQUE(site,name));
        CREATE TABLE sources(id INTEGER PRIMARY KEY, site INTEGER NOT NULL, gateway TEXT NOT NULL,
          session TEXT NOT NULL, newest INTEGER NOT NULL, UNIQUE(site,gateway,session));
        CREATE TABLE facts(id INTEGER PRIMARY KEY, site INTEGER NOT NULL, start INTEGER NOT NULL,
          source INTEGER NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL,
          UNIQUE(site,start,source,number));
        CREATE TABLE site_days(id INTEGER PRIMARY KEY, site INTEGER NOT NULL,
          start INTEGER NOT NULL, levels BLOB NOT NULL, UNIQUE(site,start));
        CREATE TABLE minutes(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL,
          start INTEGER NOT NULL, end INTEGER NOT NULL, rev INTEGER NOT NULL,
          final INTEGER NOT NULL, mark BLOB NOT NULL, document BLOB NOT NULL,
          summary BLOB NOT NULL, UNIQUE(queue,start));
        CREATE TABLE hours(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, start INTEGER NOT NULL,
          end INTEGER NOT NULL, summary BLOB NOT NULL, UNIQUE(queue,start));
        CREATE TABLE days(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, start INTEGER NOT NULL,
          end INTEGER NOT NULL, summary BLOB NOT NULL, UNIQUE(queue,start));
        CREATE TABLE visits(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL,
          entered INTEGER NOT NULL, left INTEGER NOT NULL, tag INTEGER NOT NULL,
          document BLOB NOT NULL, UNIQUE(queue,left,entered,tag));
        CREATE TABLE counters(id INTEGER PRIMARY KEY, site INTEGER NOT NULL,
          gateway TEXT NOT NULL, outcome TEXT NOT NULL, count INTEGER NOT NULL,
          UNIQUE(site,gateway,outcome));
        """,
        """
        CREATE TABLE visit_counts(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL,
          day INTEGER NOT NULL, count INTEGER NOT NULL, UNIQUE(queue,day));
        """,
        """
        CREATE TABLE receipts(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, at INTEGER NOT NULL,
          till TEXT NOT NULL, count INTEGER NOT NULL, UNIQUE(queue,at,till));
        """,
        "ALTER TABLE visit_counts ADD COLUMN method TEXT NOT NULL DEFAULT '';",
        """
        CREATE TABLE region_events(id INTEGER PRIMARY KEY, site INTEGER NOT NULL,
          region TEXT NOT NULL, decided INTEGER NOT NULL, tag INTEGER NOT NULL,
          event TEXT NOT NULL, document BLOB NOT NULL, UNIQUE(site,region,decided,event));
        """,
        """
        CREATE TABLE beacon_events(id INTEGER PRIMARY KEY, site INTEGER NOT NULL,
          decided INTEGER NOT NULL, beacon TEXT NOT NULL, event TEXT NOT NULL,
          document BLOB NOT NULL, UNIQUE(site,decided,event));
        CREATE TABLE beacon_hours(id INTEGER PRIMARY KEY, site INTEGER NOT NULL,
          start INTEGER NOT NULL, form TEXT NOT NULL, body BLOB NOT NULL, UNIQUE(site,start));
        """,
        """
        CREATE TABLE place_labels(id INTEGER PRIMARY KEY, site INTEGER NOT NULL,
          beacon TEXT NOT NULL, start INTEGER NOT NULL, document BLOB NOT NULL,
          UNIQUE(site,beacon,start));
        """,
        """
        CREATE TABLE region_changes(id INTEGER PRIMARY KEY, site INTEGER NOT NULL,
          at INTEGER NOT NULL, region TEXT NOT NULL, client TEXT NOT NULL,
          document BLOB NOT NULL, UNIQUE(site,at,region));
        """,
    ]

    @Test("each version of the file has the tables, columns and keys of the released one")
    func released() throws {
        let folder = try TemporaryFolder()
        #expect(StoreSchema.current.steps.count >= Self.released.count)
        for version in 1...Self.released.count {
            let shapes = try [Self.released, StoreSchema.current.steps].enumerated().map {
                let database = try SQLiteDatabase(path: folder.file("\(version)-\($0)"))
                defer { database.close() }
                for step in $1.prefix(version) { try database.run(step) }
                return try shape(of: database)
            }
            #expect(shapes[0] == shapes[1])
            #expect(!shapes[0].isEmpty)
        }
    }

    /// Each column with its type and default, and the columns of each index.
    private func shape(of database: SQLiteDatabase) throws -> [String] {
        var shape: [String] = []
        for table in try SQLiteEngine.tables(of: database) {
            let add = { (row: SQLiteDatabase.Row, columns: ClosedRange<CInt>) in
                shape.append(table + columns.map { " " + row.text($0) }.joined())
            }
            try database.query("PRAGMA table_info(\(table))") { add($0, 0...5) }
            try database.query(
                """
                SELECT list."unique",info.seqno,info.name FROM pragma_index_list('\(table)') list,
                pragma_index_info(list.name) info ORDER BY list.name,info.seqno
                """
            ) { add($0, 0...2) }
        }
        return shape
    }

    @Test("a table is behind those that it refers to, and its key has its columns")
    func order() {
        for (index, table) in StoreTable.all.enumerated() {
            let before = StoreTable.all.prefix(index).map(\.name)
            for column in table.columns {
                if let other = column.kind.reference { #expect(before.contains(other)) }
            }
            let names = table.columns.map(\.name)
            #expect(table.key.allSatisfy(names.contains))
            #expect(table.time.map(names.contains) ?? true)
        }
        #expect(Set(StoreTable.all.map(\.name)).count == StoreTable.all.count)
    }

    @Test("the contents of a file are the batch that was stored")
    func contents() throws {
        let folder = try TemporaryFolder()
        var stored = batch(0..<3)
        stored.add(
            Receipt(till: "t", count: 4, at: UnixSecond(containing: 9000)), site: "s", queue: "q")
        stored.minutes = [minute(60_000, value: 3)]
        stored.visits = [
            .init(
                site: "s", queue: "q", entered: 5, left: 6, tag: Tag(rawValue: 7),
                document: Array("{}".utf8))
        ]
        stored.levels = [.init(site: "s", day: 0, levels: [1, 2])]
        stored.visitCounts = [.init(site: "s", queue: "q", day: 0, count: 2, method: "m")]
        stored.regionEvents = [
            .init(
                site: "s", region: "r", decided: 9, tag: Tag(rawValue: 7), id: "a",
                document: Array("{}".utf8))
        ]
        stored.placeLabels = [
            .init(site: "s", beacon: "b", start: 9, document: Array("{}".utf8))
        ]
        stored.regionChanges = [
            .init(site: "s", at: 9, region: "r", client: "c", document: Array("{}".utf8))
        ]
        stored.counts = [.init(site: "s", gateway: "g", outcome: "new"): 5]
        let file = StoreFile(
            path: folder.file("store.sqlite"), schema: .current, merge: addNumbers)
        let database = try file.open()
        defer { database.close() }
        try database.commit(stored)
        let read = try database.contents()
        #expect(read.facts.map(\.number) == stored.facts.map(\.number))
        #expect(read.facts.map(\.body) == stored.facts.map(\.body))
        #expect(read.facts.map(\.session) == stored.facts.map(\.session))
        #expect(read.receipts.map(\.receipt) == stored.receipts.map(\.receipt))
        #expect(read.minutes.map(\.document) == stored.minutes.map(\.document))
        #expect(read.minutes.map(\.mark) == stored.minutes.map(\.mark))
        #expect(read.minutes.map(\.summary) == stored.minutes.map(\.summary))
        #expect(read.visits == stored.visits)
        #expect(read.levels == stored.levels)
        #expect(read.visitCounts == stored.visitCounts)
        #expect(read.regionEvents == stored.regionEvents)
        #expect(read.regionChanges == stored.regionChanges)
        #expect(read.counts == stored.counts)
    }
}
