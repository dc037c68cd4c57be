import Foundation
import Posix
import Primitives
import SQLite
import TestSupport
import TestVectors
import Testing

@testable import ResultStore
@testable import StoreSQLite

@Suite("store with faults")
struct FaultTests {
    let folder: TemporaryFolder
    var path: String { folder.file("state/store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    func store(mostPendingBytes: Int = 1 << 20) -> SQLiteStore {
        SQLiteStore(
            path: path, journal: folder.file("other/journal.sqlite"),
            mostPendingBytes: mostPendingBytes, at: at(0), merge: addNumbers)
    }

    @Test("a missing folder that can't be created: batches stay in memory until it can")
    func missingFolder() throws {
        // A file in the place of the folder.
        try folder.write("", to: "state")
        let store = store()
        #expect(!store.state.isDurable)
        #expect(store.state.reason?.contains("check stateDirectory") == true)
        #expect(store.commit(batch(0..<3), at: at(1)) == .kept)
        #expect(store.commit(batch(3..<5), at: at(2)) == .kept)
        try FileManager.default.removeItem(atPath: folder.file("state"))
        // Not before the next attempt.
        #expect(!store.retry(at: at(3)))
        guard case .unavailable(_, let next?) = store.state else {
            Issue.record("\(store.state)")
            return
        }
        #expect(store.commit(batch(5..<6), at: next) == .durable)
        #expect(store.state == .durable)
        #expect(try numbers(store) == Array(0..<6))
        let events = store.takeEvents()
        #expect(events.count == 2)
        #expect(events.last == .available)
        store.close()
    }

    @Test("a full disk: the bound of the memory refuses batches, and the rest is stored later")
    func full() throws {
        let store = store(mostPendingBytes: 200_000)
        #expect(store.commit(batch(0..<1), at: at(0)) == .durable)
        // SQLite's own limit gives the error of a full disk (SQLITE_FULL).
        let pages = try #require(try limit(store, pages: 1))
        #expect(store.commit(batch(1..<600), at: at(1)) == .kept)
        #expect(store.state.reason?.contains("full") == true)
        #expect(store.commit(batch(600..<1200), at: at(2)) == .refused)
        // The rows on the disk and those in memory are readable.
        #expect(try numbers(store) == Array(0..<600))
        #expect(store.uncommittedBytes > 0)
        _ = try limit(store, pages: pages)
        #expect(store.retry(at: at(1000)))
        #expect(store.uncommittedBytes == 0)
        #expect(try numbers(store) == Array(0..<600))
        #expect(store.commit(batch(600..<1200), at: at(1001)) == .durable)
        store.close()
    }

    /// Limits the size of the file. Returns the limit before.
    private func limit(_ store: SQLiteStore, pages: Int64) throws -> Int64? {
        try store.read { database throws(SQLiteError) in
            let before = try database.connection.number("PRAGMA max_page_count")
            try database.connection.run("PRAGMA max_page_count=\(pages)")
            return before
        } ?? nil
    }

    @Test("another process that holds the lock: the batch is kept, and stored afterwards")
    func locked() throws {
        let store = store()
        let other = try SQLiteDatabase(path: path)
        try other.run("BEGIN IMMEDIATE")
        #expect(store.commit(batch(0..<2), at: at(1)) == .kept)
        #expect(store.state.reason?.contains("locked") == true)
        try other.run("ROLLBACK")
        #expect(store.retry(at: at(100)))
        #expect(try numbers(store) == [0, 1])
        other.close()
        store.close()
    }

    @Test("a removed file is written again with all its rows")
    func removed() throws {
        let store = store()
        #expect(store.commit(batch(0..<2), at: at(1)) == .durable)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        #expect(store.commit(batch(2..<4), at: at(2)) == .durable)
        #expect(store.takeEvents() == [.removed(path: path, isRestored: true)])
        store.close()
        #expect(try numbers(self.store()) == [0, 1, 2, 3])
    }

    @Test(
        "a removed log: its rows go into the file, and the next ones survive a kill",
        arguments: ["-wal", "-shm"])
    func removedLog(suffix: String) throws {
        let store = store()
        #expect(store.commit(batch(0..<2), at: at(1)) == .durable)
        try FileManager.default.removeItem(atPath: path + suffix)
        #expect(store.commit(batch(2..<4), at: at(2)) == .durable)
        #expect(store.takeEvents() == [.logRemoved(path: path)])
        #expect(store.commit(batch(4..<6), at: at(3)) == .durable)
        #expect(store.takeEvents().isEmpty)
        // What a kill leaves.
        let copy = folder.file("copy.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        let killed = SQLiteStore(path: copy, at: at(4), merge: addNumbers)
        #expect(try numbers(killed) == Array(0..<6))
        killed.close()
        store.close()
    }

    @Test("a file that another program has put in the place of the open one stays")
    func exchanged() throws {
        let other = folder.file("state/other.sqlite")
        let new = SQLiteStore(path: other, at: at(0), merge: addNumbers)
        #expect(new.commit(batch(7..<8), at: at(0)) == .durable)
        new.close()
        let store = store()
        #expect(store.commit(batch(0..<2), at: at(1)) == .durable)
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        try File.rename(other, to: path)
        #expect(store.commit(batch(2..<4), at: at(2)) == .durable)
        #expect(store.takeEvents() == [.removed(path: path, isRestored: false)])
        store.close()
        #expect(try numbers(self.store()) == [2, 3, 7])
    }

    @Test("a file of a newer version is refused with one sentence, and is not touched")
    func newer() throws {
        store().close()
        let database = try SQLiteDatabase(path: path)
        try database.run("PRAGMA user_version=99")
        database.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let store = store()
        guard case .refused(let reason) = store.state else {
            Issue.record("\(store.state)")
            return
        }
        #expect(reason.contains("version 99"))
        #expect(store.commit(batch(0..<1), at: at(100)) == .kept)
        store.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("a file of an older version is migrated, or stays unchanged beside a copy")
    func migration() throws {
        let first = store()
        #expect(first.commit(batch(0..<5), at: at(0)) == .durable)
        first.close()
        func open(_ step: String) -> SQLiteStore {
            let schema = StoreSchema(steps: StoreSchema.current.steps + [step])
            return SQLiteStore(
                StoreFile(path: path, schema: schema, merge: addNumbers),
                retention: StoreRetention(), mostPendingBytes: 1 << 20, at: at(0))
        }
        let failed = open("CREATE TABLE more(id INTEGER); INSERT INTO nothing VALUES(1);")
        #expect(failed.state.reason?.contains("cannot migrate") == true)
        failed.close()
        let copy = path + ".version-\(StoreSchema.current.version)"
        #expect(File.exists(copy))
        let unchanged = store()
        #expect(try numbers(unchanged) == Array(0..<5))
        unchanged.close()
        let migrated = open("CREATE TABLE more(id INTEGER); INSERT INTO more VALUES(7);")
        #expect(migrated.state == .durable)
        #expect(try numbers(migrated) == Array(0..<5))
        let more = try migrated.read { database throws(SQLiteError) in
            try database.connection.number("SELECT id FROM more")
        }
        #expect(more == 7)
        migrated.close()
        #expect(!File.exists(copy))
        // The earlier program does not touch it.
        guard case .refused = store().state else {
            Issue.record("an older program opens a newer file")
            return
        }
    }

    @Test("a file that is no store is set aside, never deleted")
    func foreign() throws {
        for round in 1...3 {
            try? FileManager.default.createDirectory(
                atPath: folder.file("state"), withIntermediateDirectories: true)
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
            try folder.write(
                String(repeating: "text \(round)", count: 500), to: "state/store.sqlite")
            let store = store()
            #expect(store.commit(batch(0..<1), at: at(1)) != .refused)
            settle(store)
            #expect(try numbers(store) == [0])
            store.close()
        }
        let asides = Folder.names(in: folder.file("state")).filter { $0.contains(".damaged-") }
        #expect(asides.count == 3)
    }
}
