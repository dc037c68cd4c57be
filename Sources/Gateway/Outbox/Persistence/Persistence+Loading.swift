import Primitives
import Sightings

extension Persistence {
    enum Loading {
        case loaded([(row: Int64?, stored: StoredBatch)])
        /// The next batch waits for the clock.
        case waitsForClock
        case nothing
    }

    /// Loads the next batches of the file and claims their rows.
    mutating func loadFromDisk(_ clock: Stamp?, isDelayed: Bool, at now: Instant) -> Loading {
        let here = origin
        let preparation = BoundedStore.Preparation(waits: { isDelayed && $0.needsClock(at: here) })
        { stored, ledger in
            stored.restamp(clock, at: here)
            stored.lost.merge(
                ledger.take(before: stored.batch.numbers, of: stored.origin.session))
        }
        while let before = store {
            let known = rows.ids
            var found: [(row: Int64, stored: StoredBatch)] = []
            let isClaimed = transaction(at: now) { (store, ledger) throws(BatchStoreFailure) in
                found = try store.load(
                    limit: OutboxLimits.loadedAhead, inMemory: known, claims: true, &ledger,
                    preparation)
            }
            // A store that replaced a corrupt one has other rows.
            guard store?.store === before.store else { return .nothing }
            if !isClaimed {
                // Without a claim, batches are sent unchanged.
                let skipped = known.union(rows.released)
                found =
                    (try? store?.load(
                        limit: OutboxLimits.loadedAhead, inMemory: skipped, claims: false, &ledger,
                        preparation)) ?? []
            }
            if !found.isEmpty { return .loaded(found.map { ($0.row, $0.stored) }) }
            guard store?.loaded == before.loaded else { continue }
            // Rows are in the order of their boots: no row behind this one can be sent.
            if isDelayed { return .waitsForClock }
            if hasRowsToLoad, isUsable {
                failed(BatchStoreFailure(.corrupt, "counted rows are missing"), at: now)
            }
            return .nothing
        }
        return .nothing
    }

    /// Takes the next batches out of the memory store.
    mutating func loadFromMemory(_ clock: Stamp?, isDelayed: Bool) -> Loading {
        let here = origin
        let rows = rows
        let preparation = BoundedStore.Preparation(waits: { isDelayed && $0.needsClock(at: here) })
        { stored, ledger in
            stored.restamp(clock, at: here)
            let session = stored.origin.session
            guard rows.permitsDeclaring(of: session) else { return }
            stored.lost.merge(ledger.take(before: stored.batch.numbers, of: session))
        }
        let found = try? memory.load(
            limit: OutboxLimits.loadedAhead, inMemory: [], claims: true, &ledger, preparation)
        guard let found, !found.isEmpty else {
            return isDelayed && inMemory > 0 ? .waitsForClock : .nothing
        }
        try? memory.store.remove(found.map(\.row))
        return .loaded(found.map { (nil, $0.stored) })
    }

    mutating func noteLoaded(_ row: Int64?, _ entry: Entry) {
        if let row { rows.add(row, of: entry) }
    }
}
