import Primitives
import Sightings

extension Persistence {
    /// Sets a corrupt file aside and begins a new one with the rows that SQLite can read.
    ///
    /// The numbers of all other rows of this session are known and lost. A row of an earlier session is lost with its
    /// numbers if its header is readable. All other rows are known by their count at most.
    mutating func replaceCorruptStore(_ failure: BatchStoreFailure, at now: Instant) {
        let old = store?.store
        var result = RecoveryResult(batches: old.map { max(0, $0.count - rows.released.count) })
        var missing = ledger.storedNumbers
        for row in rows.all where row.session == origin.session { missing.remove(row.numbers) }
        old?.close()
        store = nil
        let inMemory = rows
        rows = StoredRows()
        ledger.counters.setAside &+= 1
        ledger.replacedStore()
        let path = disk?.setAside()
        if let path {
            recover(path, beside: inMemory, claimed: old?.claimed, &result, at: now)
        } else {
            _ = availability.failed(at: now)
        }
        result.recovered += inMemory.all.count
        missing.subtract(ledger.storedNumbers)
        if let loss = missing.loss(.damaged) {
            result.declaredLost &+= loss.batches
            ledger.merge(loss, of: origin.session)
        }
        let unknown = UInt64(clamping: (result.batches ?? 0) - result.recovered)
        ledger.counters.damaged &+= max(result.declaredLost, unknown)
        events.append(.storeCorrupt(path: path, reason: failure.description, result))
    }

    /// Copies readable rows into a new file, all in one transaction.
    ///
    /// - Parameter claimed: the last row that may have been sent; `nil` if the file was not open.
    private mutating func recover(
        _ path: String, beside inMemory: StoredRows, claimed: Int64?,
        _ result: inout RecoveryResult, at now: Instant
    ) {
        guard let disk else { return }
        var ledger = ledger
        var selection = RecoverySelection(inMemory)
        var opened: (any BatchStore)?
        do throws(BatchStoreFailure) {
            guard let new = try disk.open(creating: true) else { return }
            opened = new
            try new.begin()
            let store = bounded(new)
            var recovered = 0
            var failure: BatchStoreFailure?
            let scan = disk.scan(path, claimed: claimed) { row in
                guard failure == nil, let stored = selection.batch(of: row) else { return }
                do throws(BatchStoreFailure) {
                    try store.append(stored, isFinal: row.isFinal)
                    recovered += 1
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            result.batches = result.batches ?? scan?.count
            var declared: UInt64 = 0
            for header in selection.lost where header.session != origin.session {
                ledger.merge(header.lost, of: header.session)
                ledger.lose(header.numbers, of: header.session, .damaged)
                declared &+= header.numbers.upperBound &- header.numbers.lowerBound &+ 1
            }
            // The losses of a file that was open are in the ledger.
            if claimed == nil {
                for (session, loss) in scan?.losses ?? [:] { ledger.merge(loss, of: session) }
                result.knowsLosses = scan?.knowsLosses ?? false
            }
            try new.set(ledger.losses)
            try new.commit()
            ledger.replacedStore(with: selection.found[origin.session] ?? RangeSet())
            self.ledger = ledger
            self.store = store
            rows.losses = ledger.losses
            result.recovered = recovered
            result.declaredLost = declared
        } catch {
            opened?.rollback()
            opened?.close()
            if availability.failed(at: now) {
                events.append(.storeUnavailable(reason: error.description))
            }
        }
    }
}

/// Selects the rows of a corrupt file that go into the new one, each batch once.
struct RecoverySelection {
    /// Rows that are in memory, or are no longer needed.
    private let known: Set<Int64>
    /// Numbers by session that are in memory, or were found.
    private var taken: [String: RangeSet<UInt64>] = [:]
    /// Numbers by session that were found.
    private(set) var found: [String: RangeSet<UInt64>] = [:]
    /// Headers whose bodies are damaged.
    private var headers: [BatchHeader] = []

    init(_ rows: StoredRows) {
        known = rows.ids.union(rows.released)
        for row in rows.all { taken[row.session, default: RangeSet()].insert(row.numbers) }
    }

    /// The batch to store again; `nil` if its body is damaged, or if it is not needed.
    mutating func batch(of row: RecoveredRow) -> StoredBatch? {
        guard !known.contains(row.id) else { return nil }
        guard let stored = row.stored else {
            if let header = row.header { headers.append(header) }
            return nil
        }
        let session = stored.origin.session
        let numbers = stored.batch.numbers
        // A damaged tree can contain a page twice, or an unused page with an older state.
        guard !taken[session, default: RangeSet()].overlaps(numbers) else { return nil }
        taken[session, default: RangeSet()].insert(numbers)
        found[session, default: RangeSet()].insert(numbers)
        return stored
    }

    /// Headers of batches that were not found.
    var lost: [BatchHeader] {
        var taken = taken
        return headers.filter { header in
            let isLost = !taken[header.session, default: RangeSet()].overlaps(header.numbers)
            taken[header.session, default: RangeSet()].insert(header.numbers)
            return isLost
        }
    }
}
