import Foundation
import Posix
import Primitives
import TestSupport
import Testing

@testable import ResultStore
@testable import StoreSQLite

@Suite("check of the whole store")
struct InspectionTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func store() -> SQLiteStore {
        SQLiteStore(path: path, at: at(0), merge: addNumbers)
    }

    /// Begins the check; its result comes with a later call of `checkNext`.
    private func begin(_ store: SQLiteStore) throws {
        try wait {
            store.isDayChecked
        } meanwhile: {
            store.checkNext(at: at(1))
        }
        store.checkNext(at: at(1))
        #expect(!store.isChecked)
    }

    private func end(_ store: SQLiteStore) throws {
        try wait {
            store.isChecked
        } meanwhile: {
            store.checkNext(at: at(1))
        }
    }

    private func wait(
        until isReached: () -> Bool, meanwhile step: () -> Void
    ) throws {
        for _ in 0..<60_000 where !isReached() {
            step()
            usleep(1000)
        }
        try #require(isReached())
    }

    @Test("a check that began before a replacement says nothing about the new file")
    func replaced() throws {
        let first = store()
        var batch = batch(0..<100)
        let start: Int64 = 1_700_000_000_000
        batch.minutes = (0..<100).map { minute(start + $0 * 60_000, value: 1) }
        #expect(first.commit(batch, at: at(0)) == .durable)
        first.close()
        try damageKeys(of: start + 99 * 60_000, in: path)
        let store = store()
        defer { store.close() }
        try begin(store)
        store.noteDamage(StoreFailure(.corrupt, "a commit found damage"))
        try wait {
            store.retry(at: at(2))
        } meanwhile: {
        }
        try end(store)
        try wait {
            store.retry(at: at(3))
        } meanwhile: {
        }
        let replacements = store.takeEvents().count {
            if case .replaced = $0 { true } else { false }
        }
        #expect(replacements == 1)
        #expect(try numbers(store) == Array(0..<100))
    }

    @Test("the file is checked again if its log's index was truncated: the check may have read it")
    func truncated() throws {
        let store = store()
        defer { store.close() }
        #expect(store.commit(batch(0..<2), at: at(0)) == .durable)
        // Between checks: a check that runs would end the process where another program truncates the index.
        try end(store)
        try #require(truncate(path + "-shm", 100) == 0)
        store.checkNext(at: at(1))
        #expect(store.takeEvents() == [.indexTruncated(path: path)])
        #expect(!store.isChecked)
        try end(store)
        try #require(truncate(path + "-shm", 0) == 0)
        #expect(try numbers(store) == [0, 1])
        #expect(!store.isChecked)
        try end(store)
        #expect(store.state == .durable)
    }

    @Test("the log is not emptied during a check, which would be waited for")
    func forgets() throws {
        let store = store()
        defer { store.close() }
        #expect(store.commit(batch(0..<2), at: at(0)) == .durable)
        try begin(store)
        #expect(!store.forget())
        try end(store)
        #expect(store.forget())
        #expect(File.size(path + "-wal") == 0)
    }
}
