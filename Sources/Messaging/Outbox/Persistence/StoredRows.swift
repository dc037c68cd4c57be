import Primitives
import Sightings

/// What the outbox knows about the rows of the open store.
struct StoredRows {
    struct Row {
        let id: Int64
        let session: String
        let numbers: ClosedRange<UInt64>
    }

    /// The rows of batches that are in memory too.
    private var inMemory: [Entry.ID: Row] = [:]
    /// Rows that are no longer needed, and not removed yet.
    private(set) var released: [Int64] = []
    /// A released batch was lost, not acknowledged. While its row exists, its loss must not be declared.
    private(set) var releasesLoss = false
    /// The time to remove the released rows.
    var removeBy: Instant?
    /// The undeclared losses that are stored.
    var losses: [String: Loss] = [:]

    subscript(_ id: Entry.ID) -> Int64? { inMemory[id]?.id }

    var all: Dictionary<Entry.ID, Row>.Values { inMemory.values }
    var ids: Set<Int64> { Set(all.map(\.id)) }

    mutating func add(_ id: Int64, of entry: Entry) {
        inMemory[entry.id] = Row(id: id, session: entry.session, numbers: entry.batch.numbers)
    }

    /// Releases the row of a batch, if it has one.
    mutating func release(_ id: Entry.ID, isLoss: Bool) {
        guard let row = inMemory.removeValue(forKey: id) else { return }
        released.append(row.id)
        if isLoss { releasesLoss = true }
    }

    /// A transaction has removed the released rows and stored the losses.
    mutating func committed(_ losses: [String: Loss]) {
        self.losses = losses
        released = []
        releasesLoss = false
        removeBy = nil
    }

    /// Whether a message without a row may declare a loss of this session. The rules: a stored loss is declared only by
    /// a stored message, in one commit. A loss whose row still exists is not declared.
    func permitsDeclaring(of session: String) -> Bool { losses[session] == nil && !releasesLoss }
}
