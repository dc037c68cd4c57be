import Primitives
import Sightings

extension Persistence {
    /// Releases the row of an acknowledged batch.
    mutating func acknowledged(_ entry: Entry) {
        rows.release(entry.id, nil)
        ledger.removed(entry.batch.numbers, of: entry.session)
    }

    /// Counts a batch as lost, with the loss that it was to declare.
    mutating func giveUp(_ entry: Entry, _ reason: Loss.Reason) {
        var loss: Loss? = Loss(of: entry.batch.numbers, reason)
        loss.merge(entry.lost)
        rows.release(entry.id, loss)
        ledger.merge(entry.lost, of: entry.session)
        ledger.lose(entry.batch.numbers, of: entry.session, reason)
    }

    /// Drops stored batches that are too old.
    mutating func expire(_ age: BatchAge, at now: Instant) {
        let maxAge = limits.maxAge
        let isTooOld = { (header: BatchHeader) in age.isTooOld(header, maxAge) }
        try? memory.expire(inMemory: [], &ledger, isTooOld: isTooOld)
        guard stored > 0 else { return }
        let known = rows.ids
        transaction(at: now) { (store, ledger) throws(BatchStoreFailure) in
            try store.expire(inMemory: known, &ledger, isTooOld: isTooOld)
        }
    }

    /// Removes released rows when they are due, and the file when it is empty.
    ///
    /// - Parameter isIdle: no decided batch is in memory.
    mutating func removeReleased(isIdle: Bool, at now: Instant) {
        removeIfEmpty(isIdle: isIdle)
        // With write-ahead for all batches, the file stays.
        if limits.persistAfter == .zero { reportUndeclarable(isIdle: isIdle) }
        guard store != nil, !rows.released.isEmpty else {
            rows.removeBy = nil
            return
        }
        let due = rows.removeBy ?? now + OutboxLimits.removedAfter
        rows.removeBy = due
        guard due <= now || rows.released.count >= OutboxLimits.removedTogether else { return }
        // The time of the next attempt, if this one fails.
        rows.removeBy = now + OutboxLimits.removedAfter
        transaction(at: now) { (_, _) throws(BatchStoreFailure) in }
    }

    /// Closes the file, without released rows.
    ///
    /// - Returns: the number of batches that it has.
    mutating func close(isIdle: Bool, at now: Instant) -> Int {
        removeIfEmpty(isIdle: isIdle)
        if store != nil { transaction(at: now) { (_, _) throws(BatchStoreFailure) in } }
        defer {
            store?.store.close()
            store = nil
        }
        return stored
    }

    /// Removes an empty file: the disk is for outages.
    private mutating func removeIfEmpty(isIdle: Bool) {
        let session = origin.session
        guard let store, stored == 0, limits.persistAfter != .zero,
            ledger.losses[session] == nil || !rows.hasLoss(of: session)
        else { return }
        reportUndeclarable(isIdle: isIdle)
        guard ledger.losses.keys.allSatisfy({ $0 == session }) else { return }
        store.store.close()
        disk?.remove()
        self.store = nil
        rows = StoredRows()
        ledger.replacedStore()
    }

    /// Reports losses of earlier sessions when no batch of these is left to declare them.
    private mutating func reportUndeclarable(isIdle: Bool) {
        guard isIdle, stored == 0, inMemory == 0 else { return }
        for session in ledger.losses.keys where session != origin.session {
            reportLoss(of: session)
        }
    }

    /// At the end: reports losses that the file does not have for the next session.
    mutating func reportUndeclaredLoss() {
        for (session, loss) in ledger.losses {
            let found = rows.foundLosses(of: session)
            guard loss.batches > found else { continue }
            var rest = loss
            rest.batches -= found
            _ = ledger.take(of: session)
            events.append(.undeclaredLoss(session: session, rest))
        }
    }

    private mutating func reportLoss(of session: String) {
        guard let loss = ledger.take(of: session) else { return }
        events.append(.undeclaredLoss(session: session, loss))
    }
}
