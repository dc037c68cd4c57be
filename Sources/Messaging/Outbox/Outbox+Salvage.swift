import Primitives
import Sightings

/// What happens when the store turns out to be damaged.
extension Outbox {
    /// Sets the store aside and goes on with a new one, which begins with what can still be read of the old one.
    ///
    /// Of this session it is known what is missing, and that is lost. Of earlier ones that is lost whose heads can be read;
    /// of what is left nobody can tell what is missing from what was acknowledged: how many rows there were, how many were
    /// saved, and how many lost, is all that can be said.
    mutating func startAnew(_ failure: StoreFailure, at now: Instant) {
        let old = disk.depot?.store
        let inMemory = (attempted + writtenAhead.elements + head.elements).filter { $0.row != nil }
        let wreckage = Wreckage(done: disk.done, inMemory: inMemory.map { ($0.row, $0.entry) })
        var missing = disk.numbers
        for frozen in inMemory where frozen.entry.session == origin.session {
            missing.remove(frozen.entry)
        }
        var salvage = Salvage(had: old.map { max(0, $0.count - disk.done.count) })
        old?.close()
        disk.depot = nil
        let place = disk.disk?.setAside()
        ledger.counters.setAside &+= 1
        disk.numbers = RangeSet()
        disk.losses = [:]
        if let place {
            if let wreck = disk.disk?.wreck(at: place) {
                salvage.had = salvage.had ?? wreck.count
                take(from: wreck, wreckage, claimed: old?.claimed, &salvage, at: now)
                wreck.close()
            } else if old == nil {
                salvage.knowsLosses = false
            }
        } else {
            _ = disk.failed(at: now)
        }
        salvage.saved += inMemory.count
        missing.subtract(disk.numbers)
        declare(missing, &salvage)
        let unknown = UInt64(clamping: (salvage.had ?? 0) - salvage.saved)
        ledger.counters.damaged &+= max(salvage.declared, unknown)
        notices.append(.damaged(place, failure.description, salvage))
        forgetRows()
    }

    /// Puts what can still be read into a new store, as it was, as a whole or not at all.
    ///
    /// - Parameter claimed: up to where rows may have been handed out, if that is known from before.
    private mutating func take(
        from wreck: any Wreck, _ wreckage: Wreckage, claimed: Int64?,
        _ salvage: inout Salvage, at now: Instant
    ) {
        var ledger = ledger
        if claimed == nil {
            let (losses, isWhole) = wreck.losses()
            for (session, loss) in losses { ledger.merge(loss, of: session) }
            salvage.knowsLosses = isWhole
        }
        // Who does not know what was handed out changes nothing.
        let claimed = claimed ?? wreck.claimed ?? .max
        var wreckage = wreckage
        var saved = 0
        var new: (any Store)?
        do throws(StoreFailure) {
            guard let store = try disk.disk?.open(creating: true) else { return }
            new = store
            let depot = Depot(store, maxBytes: limits.maxBytes, maxSightings: limits.maxSightings)
            try store.begin()
            var failure: StoreFailure?
            wreck.each { remnant in
                guard failure == nil, let parcel = wreckage.parcel(of: remnant) else { return }
                let isFrozen = remnant.row?.isFrozen ?? true
                do throws(StoreFailure) {
                    _ = try depot.append(parcel, isFrozen: isFrozen || remnant.id <= claimed)
                    saved += 1
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            for row in wreckage.gone where row.session != origin.session {
                ledger.merge(row.lost, of: row.session)
                ledger.lose(row.numbers, of: row.session, .damaged)
                salvage.declared &+= row.numbers.upperBound &- row.numbers.lowerBound &+ 1
            }
            try store.set(ledger.losses)
            try store.commit()
            disk.depot = depot
        } catch {
            new?.rollback()
            new?.close()
            salvage.declared = 0
            if disk.failed(at: now) { notices.append(.diskFailed(error.description)) }
            return
        }
        self.ledger = ledger
        salvage.saved = saved
        disk.losses = ledger.losses
        disk.numbers = wreckage.found[origin.session] ?? RangeSet()
    }

    /// What is missing of this session is lost.
    private mutating func declare(_ missing: RangeSet<UInt64>, _ salvage: inout Salvage) {
        let batches = missing.ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
        guard let from = missing.ranges.first?.lowerBound,
            let end = missing.ranges.last?.upperBound
        else { return }
        salvage.declared &+= batches
        ledger.merge(
            Loss(batches: batches, fromSeq: from, toSeq: end - 1, reason: .damaged),
            of: origin.session)
    }

    /// What is in memory has no rows any more, and nothing is left to be removed.
    private mutating func forgetRows() {
        attempted = attempted.map { unstored($0) }
        // These were not handed out yet: they are written down once more before they are.
        var decided: [Waiting] = []
        for frozen in writtenAhead.elements {
            var parcel = frozen.entry.parcel
            ledger.merge(parcel.lost, of: frozen.entry.session)
            parcel.lost = nil
            unstoredBytes += Self.cost(of: parcel.batch)
            decided.append(Waiting(parcel: parcel, since: frozen.since))
        }
        waiting = Queue(decided + waiting.elements)
        writtenAhead = Queue()
        head = Queue(head.elements.map { unstored($0) })
        disk.done = []
        disk.hasGivenUp = false
    }
}
