import Primitives
import Sightings

/// What is stored comes back, behind what is new.
extension Outbox {
    /// The backlog's next batch, when its time has come and there is room for it beside what is new.
    mutating func nextOfBacklog(_ clock: Stamp?, isHeld: Bool, at now: Instant) -> Frozen? {
        if !isHeld { isBacklogHeld = false }
        guard hasBacklog, inFlight < max(1, window / 2), pace.isDue(at: now) else { return nil }
        if head.isEmpty, !isBacklogHeld {
            loadFromDisk(clock, isHeld: isHeld, at: now)
            if head.isEmpty { loadFromMemory(clock, isHeld: isHeld, at: now) }
        }
        guard let frozen = head.popFirst() else { return nil }
        pace.went(perSecond: limits.backlogPerSecond, at: now)
        return frozen
    }

    private mutating func loadFromDisk(_ clock: Stamp?, isHeld: Bool, at now: Instant) {
        let here = origin
        let waits = { (parcel: Parcel) in isHeld && Hold.concerns(parcel, at: here) }
        let prepare = { (parcel: inout Parcel, ledger: inout Ledger) in
            parcel.restamp(clock, at: here)
            let session = parcel.origin.session
            parcel.lost.merge(ledger.take(before: parcel.batch.numbers, of: session))
        }
        while head.isEmpty, let before = disk.depot?.loaded {
            let store = disk.depot?.store
            let held = rowsInMemory
            var found: [(id: Int64, parcel: Parcel)] = []
            let isClaimed = onDisk(at: now) { (depot, ledger) throws(StoreFailure) in
                found = try depot.load(
                    limit: OutboxLimits.head, held: held, claims: true, &ledger,
                    waits: waits, prepare: prepare)
            }
            // Another store has rows of its own.
            guard disk.depot?.store === store else { return }
            if !isClaimed {
                // It can be sent all the same, but only as it is.
                let known = held.union(disk.done)
                found =
                    (try? disk.depot?.load(
                        limit: OutboxLimits.head, held: known, claims: false, &ledger,
                        waits: waits, prepare: prepare)) ?? []
            }
            for (id, parcel) in found { putInHead(parcel, row: id, clock, at: now) }
            if disk.depot?.loaded == before {
                // Nothing else comes before these: rows are stored in the order of their boots.
                isBacklogHeld = isHeld
                if !isHeld, hasRowsToLoad, disk.isUsable {
                    // Otherwise it would be looked for for ever.
                    failed(StoreFailure(.damaged, "rows are missing that were counted"), at: now)
                }
                return
            }
        }
    }

    private mutating func loadFromMemory(_ clock: Stamp?, isHeld: Bool, at now: Instant) {
        let here = origin
        let disk = disk
        let found = try? memory.load(
            limit: OutboxLimits.head, held: [], claims: true, &ledger,
            waits: { isHeld && Hold.concerns($0, at: here) }
        ) { parcel, ledger in
            parcel.restamp(clock, at: here)
            let session = parcel.origin.session
            guard disk.letsDeclare(session) else { return }
            parcel.lost.merge(ledger.take(before: parcel.batch.numbers, of: session))
        }
        for (id, parcel) in found ?? [] {
            try? memory.store.remove([id])
            unstoredBytes += Self.cost(of: parcel.batch)
            putInHead(parcel, row: nil, clock, at: now)
        }
    }

    private mutating func putInHead(
        _ parcel: Parcel, row: Int64?, _ clock: Stamp?, at now: Instant
    ) {
        let id = Entry.ID(rawValue: nextBacklogID)
        nextBacklogID += 1
        let isOfThisBoot = parcel.origin.sharesClock(with: origin)
        let age = age(of: Row(of: parcel, isFrozen: true), at: now, clock) ?? sinceSeen(at: now)
        head.append(
            Frozen(
                entry: Entry(id: id, parcel: parcel),
                since: isOfThisBoot
                    ? parcel.batch.interval.end : now.advanced(byMicroseconds: -max(0, age)),
                row: row, notBefore: now))
    }
}
