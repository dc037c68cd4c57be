import Sightings

@testable import Outbox

/// A disk whose faults a test decides. Committed changes stay.
final class FakeDisk: Disk, @unchecked Sendable {
    // One thread, the test's, uses these.
    /// The error of every operation.
    var failure: BatchStoreFailure?
    /// Decides for each commit whether it fails.
    var failsCommit: () -> Bool = { false }
    private(set) var store: MemoryStore?
    private(set) var opened = 0
    private(set) var commits = 0
    private(set) var failedCommits = 0
    private(set) var setAsides = 0
    /// Decides which rows of a corrupt store are readable; `nil`: not even the file.
    var survives: ((Int64) -> Bool)?
    /// Decides for the other rows whether the header is readable.
    var hasHeader: (Int64) -> Bool = { _ in false }
    private var aside: MemoryStore?

    static let full = BatchStoreFailure(.unavailable, "no space")
    static let broken = BatchStoreFailure(.corrupt, "nonsense")

    func open(creating: Bool) throws(BatchStoreFailure) -> (any BatchStore)? {
        if let failure { throw failure }
        guard creating || store != nil else { return nil }
        opened += 1
        let store = store ?? MemoryStore()
        self.store = store
        return FakeStore(store, of: self)
    }

    func setAside() -> String? {
        setAsides += 1
        aside = store
        store = nil
        failure = nil
        return "aside"
    }

    func remove() { store = nil }

    func limit(to maxBytes: Int) {}

    func scan(
        _ path: String, claimed: Int64?, visit: (RecoveredRow) -> Void
    ) -> RecoveryScan? {
        guard let survives, let aside else { return nil }
        for header in aside.headers(after: 0, limit: .max) {
            let isWhole = survives(header.id)
            let stored = aside.body(of: header.id).flatMap { try? StoredBatch(decoding: $0) }
            let row = RecoveredRow(
                id: header.id, header: isWhole || hasHeader(header.id) ? header : nil,
                stored: isWhole ? stored : nil, claimed: claimed ?? aside.claimed)
            if let row { visit(row) }
        }
        return RecoveryScan(count: aside.count, losses: aside.losses())
    }

    /// A store whose commits can fail.
    private final class FakeStore: BatchStore {
        private let store: MemoryStore
        private let disk: FakeDisk
        private var before: MemoryStore.Contents?

        init(_ store: MemoryStore, of disk: FakeDisk) {
            self.store = store
            self.disk = disk
        }

        var count: Int { store.count }
        var bytes: Int { store.bytes }
        var claimed: Int64 { store.claimed }

        func begin() throws(BatchStoreFailure) {
            if let failure = disk.failure { throw failure }
            before = store.contents
        }

        func commit() throws(BatchStoreFailure) {
            if let failure = disk.failure { throw failure }
            if disk.failsCommit() {
                disk.failedCommits += 1
                throw FakeDisk.full
            }
            disk.commits += 1
            before = nil
        }

        func rollback() {
            if let before { store.contents = before }
            before = nil
        }
        func close() {}
        func limit(to maxBytes: Int) {}
        func append(_ header: BatchHeader, _ body: [UInt8]) throws(BatchStoreFailure) -> Int64 {
            store.append(header, body)
        }
        func headers(after id: Int64, limit: Int) throws(BatchStoreFailure) -> [BatchHeader] {
            store.headers(after: id, limit: limit)
        }
        func body(of id: Int64) throws(BatchStoreFailure) -> [UInt8]? { store.body(of: id) }
        func replace(_ id: Int64, _ header: BatchHeader, _ body: [UInt8]) throws(BatchStoreFailure)
        {
            store.replace(id, header, body)
        }
        func remove(_ ids: [Int64]) throws(BatchStoreFailure) { store.remove(ids) }
        func claim(upTo id: Int64) throws(BatchStoreFailure) { store.claim(upTo: id) }
        func losses() throws(BatchStoreFailure) -> [String: Loss] { store.losses() }
        func set(_ losses: [String: Loss]) throws(BatchStoreFailure) { store.set(losses) }
    }
}
