import Beacon
import Sighting

/// What happens when the store turns out to be damaged.
extension Outbox {
    /// Sets the store aside and goes on with a new one, which begins with what can still be read of the old one.
    ///
    /// Of this session it is known what is missing, and that is lost. Of earlier ones nobody can tell what is missing from
    /// what was acknowledged: how many rows there were and how many were saved is all that can be said.
    mutating func startAnew(_ failure: StoreFailure, at now: Instant) {
        let old = disk.depot?.store
        let known = Set(
            (attempted + writtenAhead.elements + head.elements).compactMap(\.row) + disk.done)
        var had = old.map { max(0, $0.count - disk.done.count) }
        old?.close()
        disk.depot = nil
        let place = disk.disk?.setAside()
        ledger.counters.setAside &+= 1
        // What is in memory as well goes on from there.
        var missing = disk.numbers
        for frozen in attempted + writtenAhead.elements + head.elements
        where frozen.row != nil && frozen.entry.session == origin.session {
            missing.remove(frozen.entry)
        }
        disk.numbers = RangeSet()
        disk.losses = [:]
        var saved = 0
        if let place {
            if let wreck = disk.disk?.wreck(at: place) {
                had = had ?? wreck.count
                saved = salvage(wreck, known, claimed: old?.claimed, &missing, at: now)
                wreck.close()
            }
        } else {
            _ = disk.failed(at: now)
        }
        let inMemory = known.count - disk.done.count
        declare(missing, rows: max(0, (had ?? 0) - inMemory - saved))
        notices.append(.damaged(place, failure.description, had: had, saved: saved + inMemory))
        forgetRows()
    }

    /// Puts what can still be read into a new store, as it was, as a whole or not at all.
    ///
    /// - Parameters:
    ///   - known: rows that are in memory, or done with.
    ///   - claimed: up to where rows may have been handed out, if that is known from before.
    ///   - missing: this session's numbers; those that are found are taken out.
    /// - Returns: rows that were saved.
    private mutating func salvage(
        _ wreck: any Wreck, _ known: Set<Int64>, claimed: Int64?,
        _ missing: inout RangeSet<UInt64>, at now: Instant
    ) -> Int {
        let ids = wreck.ids().filter { !known.contains($0) }
        var ledger = ledger
        if claimed == nil {
            for (session, loss) in wreck.losses() { ledger.merge(loss, of: session) }
        }
        guard !ids.isEmpty || ledger.losses != self.ledger.losses else { return 0 }
        // Who does not know what was handed out changes nothing.
        let claimed = claimed ?? wreck.claimed ?? .max
        var found: [String: RangeSet<UInt64>] = [:]
        var saved = 0
        var new: (any Store)?
        do throws(StoreFailure) {
            guard let store = try disk.disk?.open(creating: true) else { return 0 }
            new = store
            let depot = Depot(store, maxBytes: limits.maxBytes, maxSightings: limits.maxSightings)
            try store.begin()
            for id in ids {
                guard let (parcel, isFrozen) = wreck.parcel(id) else { continue }
                let numbers = parcel.batch.numbers
                let session = parcel.origin.session
                // An older state of the same, from a page that is not in use any more.
                guard !found[session, default: RangeSet()].overlaps(numbers) else { continue }
                found[session, default: RangeSet()].insert(numbers)
                _ = try depot.append(parcel, isFrozen: isFrozen || id <= claimed)
                saved += 1
            }
            try store.set(ledger.losses)
            try store.commit()
            disk.depot = depot
        } catch {
            new?.rollback()
            new?.close()
            if disk.failed(at: now) { notices.append(.diskFailed(error.description)) }
            return 0
        }
        self.ledger = ledger
        disk.losses = ledger.losses
        disk.numbers = found[origin.session] ?? RangeSet()
        missing.subtract(disk.numbers)
        return saved
    }

    /// What is missing of this session is lost; of others, as many as rows are missing.
    private mutating func declare(_ missing: RangeSet<UInt64>, rows: Int) {
        let batches = missing.ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
        ledger.counters.damaged &+= max(batches, UInt64(clamping: rows))
        guard let from = missing.ranges.first?.lowerBound,
            let end = missing.ranges.last?.upperBound
        else { return }
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
