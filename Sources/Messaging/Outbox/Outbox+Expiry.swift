import Primitives
import Sightings

/// What is older than the outbox keeps anything.
extension Outbox {
    /// Gives up what is too old, unless it is in flight.
    package mutating func expire(at now: Instant, clock: Stamp? = nil) {
        guard limits.spillAfter != nil else { return }
        let limit = limits.maxAge
        let isOld = { (frozen: Frozen) in
            !frozen.isInFlight && now.microseconds(since: frozen.since) > limit
        }
        let old = attempted.filter(isOld) + head.elements.filter(isOld)
        if !old.isEmpty {
            attempted.removeAll(where: isOld)
            head = Queue(head.elements.filter { !isOld($0) })
            for frozen in old { giveUp(frozen, .tooOld) }
            ledger.counters.dropped &+= UInt64(old.count)
        }
        let outbox = self
        let isTooOld = { (row: Row) in outbox.isTooOld(row, at: now, clock) }
        try? memory.expire(held: [], &ledger, isTooOld: isTooOld)
        guard stored > 0 else { return }
        let held = rowsInMemory
        onDisk(at: now) { (depot, ledger) throws(StoreFailure) in
            try depot.expire(held: held, &ledger, isTooOld: isTooOld)
        }
    }

    /// Whether a row has been kept for long enough; `nil` where its age can't be known, and it has not been here for long.
    private func isTooOld(_ row: Row, at now: Instant, _ clock: Stamp?) -> Bool? {
        if let age = age(of: row, at: now, clock) { return age > limits.maxAge }
        return sinceSeen(at: now) > limits.maxAge ? true : nil
    }

    /// For how long this run has known what earlier ones left.
    func sinceSeen(at now: Instant) -> Int64 {
        disk.seenSince.map { now.microseconds(since: $0) } ?? 0
    }

    /// How long ago a row's window ended; `nil` when that can't be known.
    func age(of row: Row, at now: Instant, _ clock: Stamp?) -> Int64? {
        if row.session == origin.session { return now.microseconds(since: row.interval.end) }
        guard let clock, clock.clock == .synced, row.stamp.clock == .synced else { return nil }
        let ended = row.interval.end.microseconds &+ row.stamp.offset
        return now.microseconds &+ clock.offset &- ended
    }

    /// Rows of what is in memory as well.
    var rowsInMemory: Set<Int64> {
        Set((attempted + writtenAhead.elements + head.elements).compactMap(\.row))
    }
}
