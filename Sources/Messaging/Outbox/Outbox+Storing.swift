import Primitives
import Sightings

/// What is stored, and when.
extension Outbox {
    /// Does what has fallen due: stores what was not acknowledged in time, removes what was, gives up what is too old,
    /// and tries a disk again that did not work.
    package mutating func tick(at now: Instant, clock: Stamp? = nil) {
        if let due = spillDue, due <= now {
            spill(at: now)
        } else if memory.store.count > 0, disk.mayTry(at: now) {
            spill(at: now)
        }
        if expiryDue.map({ $0 <= now }) ?? true {
            expiryDue = now.advanced(byMicroseconds: OutboxLimits.expiryInterval)
            expire(at: now, clock: clock)
        }
        removeDone(at: now)
        ledger.givenUp = []
    }

    /// Writes down all that the broker has not acknowledged, and lets go of the disk; `unsaved` says what could not be.
    ///
    /// - Returns: what is left on the disk.
    package mutating func save(at now: Instant) -> Int {
        // It won't get another chance.
        disk.hurry()
        if unsaved > 0, limits.spillAfter != nil { spill(at: now) }
        // A damaged store has made way for another.
        if unsaved > 0, limits.spillAfter != nil, disk.isUsable { spill(at: now) }
        removeIfEmpty()
        if disk.depot != nil { onDisk(at: now) { (_, _) throws(StoreFailure) in } }
        let left = stored
        disk.depot?.store.close()
        disk.depot = nil
        return left
    }

    mutating func adopt(_ limits: OutboxLimits) {
        memory.maxBytes = min(limits.maxBytes, OutboxLimits.maxMemory)
        memory.maxSightings = limits.maxSightings
        disk.bound(to: limits.maxBytes)
        hold.change(to: limits.holdUnsynced)
        disk.depot?.maxSightings = limits.maxSightings
    }

    /// Stores all that is not stored: on the disk, or else what was never handed out in memory.
    mutating func spill(at now: Instant) {
        let new = waiting.elements
        if !spillToDisk(new, at: now) {
            for waiting in new {
                // Memory does not fail.
                _ = try? memory.append(waiting.parcel, isFrozen: false)
                try? memory.makeRoom(&ledger)
            }
        }
        for waiting in new { unstoredBytes -= Self.cost(of: waiting.parcel.batch) }
        waiting.removeAll()
    }

    private mutating func spillToDisk(_ new: [Waiting], at now: Instant) -> Bool {
        // In the order of their numbers, as far as there is one.
        let frozen = attempted + head.elements
        let kept = memory.store
        var rows: [Int64?] = []
        let isDone = onDisk(at: now, creating: true) {
            (depot, ledger) throws(StoreFailure) in
            for frozen in frozen {
                if let row = frozen.row {
                    rows.append(row)
                } else {
                    rows.append(try depot.append(frozen.entry.parcel, isFrozen: true))
                }
            }
            for row in try kept.rows(after: 0, limit: .max) {
                guard let body = try kept.body(of: row.id) else { continue }
                _ = try depot.store.append(row, body)
                try depot.makeRoom(&ledger)
            }
            for waiting in new {
                _ = try depot.append(waiting.parcel, isFrozen: false)
                // One by one: the file must not grow with what is dropped at once.
                try depot.makeRoom(&ledger)
            }
            ledger.counters.stored &+= UInt64(kept.count + new.count)
        }
        guard isDone else { return false }
        var sent = attempted
        for index in sent.indices { store(&sent[index], as: rows[index]) }
        attempted = sent
        var taken = head.elements
        for index in taken.indices { store(&taken[index], as: rows[attempted.count + index]) }
        head = Queue(taken)
        if let rows = try? kept.rows(after: 0, limit: .max) {
            for row in rows { note(row.numbers, of: row.session) }
            try? kept.remove(rows.map(\.id))
        }
        memory.forget()
        for waiting in new { disk.numbers.insert(waiting.parcel) }
        forgetGivenUp()
        return true
    }

    private mutating func store(_ frozen: inout Frozen, as row: Int64?) {
        guard frozen.row == nil else { return }
        frozen.row = row
        unstoredBytes -= Self.cost(of: frozen.entry.batch)
        ledger.counters.stored &+= 1
        note(frozen.entry.batch.numbers, of: frozen.entry.session)
    }

    private mutating func note(_ numbers: ClosedRange<UInt64>, of session: String) {
        guard session == origin.session, numbers.upperBound < .max else { return }
        disk.numbers.insert(contentsOf: numbers.lowerBound..<numbers.upperBound + 1)
    }

    /// Whether what is new has to be written down before it may go.
    var mustWriteAhead: Bool {
        guard disk.disk != nil, writtenAhead.isEmpty, !waiting.isEmpty else { return false }
        if limits.spillAfter == 0 { return true }
        return undeclared != nil && !disk.letsDeclare(origin.session)
    }

    /// Decides what the next messages will be, and writes that down.
    mutating func writeAhead(_ clock: Stamp?, at now: Instant) {
        let count = limits.spillAfter == 0 ? OutboxLimits.widestWindow : 1
        let new = Array(waiting.elements.prefix(count))
        var decided: [Frozen] = []
        let outbox = self
        let isDone = onDisk(at: now, creating: limits.spillAfter == 0) {
            (depot, ledger) throws(StoreFailure) in
            for new in new {
                let numbers = new.parcel.batch.numbers
                let lost = ledger.take(before: numbers, of: outbox.origin.session)
                var frozen = outbox.frozen(new, clock, lost)
                frozen.row = try depot.append(frozen.entry.parcel, isFrozen: true)
                decided.append(frozen)
            }
            ledger.counters.stored &+= UInt64(new.count)
            try depot.makeRoom(&ledger)
        }
        guard isDone else { return }
        for frozen in decided {
            _ = waiting.popFirst()
            unstoredBytes -= Self.cost(of: frozen.entry.batch)
            disk.numbers.insert(frozen.entry.parcel)
            writtenAhead.append(frozen)
        }
        forgetGivenUp()
    }

    private mutating func removeDone(at now: Instant) {
        removeIfEmpty()
        // Who writes everything down keeps the store.
        if limits.spillAfter == 0 { _ = tellUndeclarable() }
        guard disk.depot != nil, !disk.done.isEmpty else {
            disk.removeBy = nil
            return
        }
        let due = disk.removeBy ?? now.advanced(byMicroseconds: OutboxLimits.removedAfter)
        disk.removeBy = due
        guard due <= now || disk.done.count >= OutboxLimits.removedAtOnce else { return }
        // Tried again as late if it fails.
        disk.removeBy = now.advanced(byMicroseconds: OutboxLimits.removedAfter)
        onDisk(at: now) { (_, _) throws(StoreFailure) in }
    }
}
