import Sightings

@testable import Outbox

/// A disk that fails when it is told to; what was committed stays.
final class FakeDisk: Disk, @unchecked Sendable {
    /// Touched by one thread, the test's.
    var failure: StoreFailure?
    /// Asked before each commit: a failure in the middle.
    var failsCommit: () -> Bool = { false }
    private(set) var store: MemoryStore?
    private(set) var opened = 0
    private(set) var commits = 0
    private(set) var setAsides = 0
    /// Which rows can still be read of what was set aside; `nil`: not even the file.
    var survives: ((Int64) -> Bool)?
    /// Of which of the others the head can still be read.
    var hasHead: (Int64) -> Bool = { _ in false }
    private var aside: MemoryStore?

    static let full = StoreFailure(.unusable, "no room")
    static let broken = StoreFailure(.damaged, "nonsense")

    func open(creating: Bool) throws(StoreFailure) -> (any Store)? {
        if let failure { throw failure }
        guard creating || store != nil else { return nil }
        opened += 1
        let store = store ?? MemoryStore(canRollBack: true)
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

    func wreck(at place: String) -> (any Wreck)? {
        guard let survives, let aside else { return nil }
        return FakeWreck(aside, survives, hasHead)
    }

    /// A store on it.
    private final class FakeStore: Store {
        private let store: MemoryStore
        private let disk: FakeDisk

        init(_ store: MemoryStore, of disk: FakeDisk) {
            self.store = store
            self.disk = disk
        }

        var count: Int { store.count }
        var bytes: Int { store.bytes }
        var claimed: Int64 { store.claimed }

        func begin() throws(StoreFailure) {
            if let failure = disk.failure { throw failure }
            store.begin()
        }

        func commit() throws(StoreFailure) {
            if let failure = disk.failure { throw failure }
            if disk.failsCommit() { throw FakeDisk.full }
            disk.commits += 1
            store.commit()
        }

        func rollback() { store.rollback() }
        func close() {}
        func append(_ row: Row, _ body: [UInt8]) throws(StoreFailure) -> Int64 {
            store.append(row, body)
        }
        func rows(after id: Int64, limit: Int) throws(StoreFailure) -> [Row] {
            store.rows(after: id, limit: limit)
        }
        func body(of id: Int64) throws(StoreFailure) -> [UInt8]? { store.body(of: id) }
        func replace(_ id: Int64, _ row: Row, _ body: [UInt8]) throws(StoreFailure) {
            store.replace(id, row, body)
        }
        func remove(_ ids: [Int64]) throws(StoreFailure) { store.remove(ids) }
        func claim(upTo id: Int64) throws(StoreFailure) { store.claim(upTo: id) }
        func losses() throws(StoreFailure) -> [String: Loss] { store.losses() }
        func set(_ losses: [String: Loss]) throws(StoreFailure) { store.set(losses) }
    }
}

/// What is left of one.
private final class FakeWreck: Wreck {
    private let store: MemoryStore
    private let survives: (Int64) -> Bool
    private let hasHead: (Int64) -> Bool

    init(
        _ store: MemoryStore, _ survives: @escaping (Int64) -> Bool,
        _ hasHead: @escaping (Int64) -> Bool
    ) {
        // What was not committed is not there.
        store.rollback()
        self.store = store
        self.survives = survives
        self.hasHead = hasHead
    }

    var count: Int? { store.count }
    var claimed: Int64? { store.claimed }
    func each(_ show: (Remnant) -> Void) {
        for row in store.rows(after: 0, limit: .max) {
            let parcel = store.body(of: row.id).flatMap { try? Parcel(decoding: $0) }
            let isWhole = survives(row.id)
            let found = Remnant(
                place: row.id, row: isWhole || hasHead(row.id) ? row : nil,
                parcel: isWhole ? parcel : nil)
            if let found { show(found) }
        }
    }
    func losses() -> (losses: [String: Loss], isWhole: Bool) { (store.losses(), true) }
    func close() {}
}
