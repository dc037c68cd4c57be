import Posix
import Primitives
import SQLite
import TestSupport
import TestVectors
import Testing

@testable import ResultStore
@testable import StoreSQLite

@Suite("journal of a store whose disk fails")
struct JournalTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("state/store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func store() -> SQLiteStore {
        SQLiteStore(
            path: path, journal: folder.file("other/journal.sqlite"), at: at(0), merge: addNumbers)
    }

    @Test("batches that the disk does not take survive a kill, and are read before they are stored")
    func journal() throws {
        let other = try blocked()
        let first = store()
        #expect(first.commit(batch(2..<4), at: at(1)) == .kept)
        #expect(first.commit(batch(0..<2), at: at(1)) == .kept)
        // Without `close`, as after a kill. The disk still fails.
        let second = store()
        #expect(!second.state.isDurable)
        #expect(try numbers(second) == [0, 1, 2, 3])
        try other.run("ROLLBACK")
        #expect(second.retry(at: at(100)))
        #expect(try numbers(second) == [0, 1, 2, 3])
        #expect(!File.exists(folder.file("other/journal.sqlite")))
        second.close()
        other.close()
        #expect(try numbers(store()) == [0, 1, 2, 3])
    }

    @Test("a batch that a kill would lose is refused")
    func noJournal() throws {
        let other = try blocked()
        try folder.write("", to: "other")
        let store = store()
        #expect(store.commit(batch(0..<2), at: at(1)) == .refused)
        #expect(store.uncommittedBytes == 0)
        try other.run("ROLLBACK")
        #expect(store.commit(batch(0..<2), at: at(100)) == .durable)
        other.close()
        store.close()
    }

    /// A store's file that another process has locked.
    private func blocked() throws -> SQLiteDatabase {
        store().close()
        let other = try SQLiteDatabase(path: path)
        try other.run("BEGIN IMMEDIATE")
        return other
    }
}
