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
    /// The losses of released batches that were not acknowledged. While their rows exist, no loss must be declared.
    private(set) var releasedLosses: [String: Loss] = [:]
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
    ///
    /// - Parameter loss: the loss of the batch; `nil` if it was acknowledged.
    mutating func release(_ id: Entry.ID, _ loss: Loss?) {
        guard let row = inMemory.removeValue(forKey: id) else { return }
        released.append(row.id)
        releasedLosses[row.session].merge(loss)
    }

    /// A transaction has removed the released rows and stored the losses.
    mutating func committed(_ losses: [String: Loss]) {
        self.losses = losses
        released = []
        releasedLosses = [:]
        removeBy = nil
    }

    /// Whether a message without a row may declare a loss of this session. The rules: a stored loss is declared only by
    /// a stored message, in one commit. A loss whose row still exists is not declared.
    func permitsDeclaring(of session: String) -> Bool {
        losses[session] == nil && releasedLosses.isEmpty
    }

    /// Whether the file has a loss of this session, also as a released row.
    func hasLoss(of session: String) -> Bool {
        losses[session] != nil || releasedLosses[session] != nil
    }

    /// The number of lost batches of a session that the next session finds in the file, as a loss or as a row.
    func foundLosses(of session: String) -> UInt64 {
        let counts = [losses, releasedLosses].compactMap { $0[session]?.batches }
        return counts.reduce(0) { $0.addingReportingOverflow($1).overflow ? .max : $0 &+ $1 }
    }
}
