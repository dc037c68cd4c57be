import Beacon
import Sighting

/// What happens on the disk, and when it can't.
extension Outbox {
    /// What a piece of work on the disk may touch.
    typealias Work = (inout Depot, inout Ledger) throws(StoreFailure) -> Void

    /// Looks for what earlier sessions left; makes nothing.
    package mutating func open(at now: Instant) {
        guard openDisk(at: now, creating: false), let count = disk.depot?.store.count, count > 0
        else { return }
        notices.append(.found(batches: count))
    }

    /// Does something on the disk as a whole or not at all, and removes what is done with by the way.
    ///
    /// - Returns: whether it was done; nothing has changed otherwise.
    @discardableResult
    mutating func onDisk(at now: Instant, creating: Bool = false, _ work: Work) -> Bool {
        guard openDisk(at: now, creating: creating), var depot = disk.depot else { return false }
        var ledger = ledger
        do throws(StoreFailure) {
            try depot.store.begin()
            try depot.store.remove(disk.done)
            try work(&depot, &ledger)
            if ledger.losses != disk.losses { try depot.store.set(ledger.losses) }
            try depot.store.commit()
        } catch {
            depot.store.rollback()
            disk.depot?.forget()
            failed(error, at: now)
            return false
        }
        self.ledger = ledger
        disk.depot = depot
        disk.losses = ledger.losses
        disk.done = []
        disk.hasGivenUp = false
        disk.removeBy = nil
        if disk.succeeded() { notices.append(.diskIsBack) }
        return true
    }

    private mutating func openDisk(at now: Instant, creating: Bool) -> Bool {
        guard disk.mayTry(at: now) else { return false }
        guard disk.depot == nil else { return true }
        do throws(StoreFailure) {
            guard let store = try disk.disk?.open(creating: creating) else { return false }
            disk.losses = try store.losses()
            for (session, loss) in disk.losses { ledger.merge(loss, of: session) }
            disk.depot = Depot(
                store, maxBytes: limits.maxBytes, maxSightings: limits.maxSightings)
            return true
        } catch {
            failed(error, at: now)
            return false
        }
    }

    private mutating func failed(_ failure: StoreFailure, at now: Instant) {
        switch failure.cause {
        case .unusable:
            if disk.failed(at: now) { notices.append(.diskFailed(failure.description)) }
        case .damaged:
            disk.depot?.store.close()
            disk.depot = nil
            let place = disk.disk?.setAside()
            ledger.counters.setAside &+= 1
            notices.append(.damaged(place, failure.description))
            if place == nil { _ = disk.failed(at: now) }
            forgetRows()
        }
    }

    /// The rows are gone: what was in memory as well goes on from there, the rest of this session is lost.
    private mutating func forgetRows() {
        var gone = disk.numbers
        for frozen in attempted + writtenAhead.elements + head.elements where frozen.row != nil {
            gone.remove(frozen.entry)
        }
        attempted = attempted.map { unstored($0) }
        writtenAhead = Queue(writtenAhead.elements.map { unstored($0) })
        head = Queue(head.elements.map { unstored($0) })
        if let from = gone.ranges.first?.lowerBound, let end = gone.ranges.last?.upperBound {
            let batches = gone.ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
            ledger.counters.damaged &+= batches
            ledger.merge(
                Loss(batches: batches, fromSeq: from, toSeq: end - 1, reason: .damaged),
                of: origin.session)
        }
        disk.numbers = RangeSet()
        disk.done = []
        disk.hasGivenUp = false
        disk.losses = [:]
    }

    private mutating func unstored(_ frozen: Frozen) -> Frozen {
        guard frozen.row != nil else { return frozen }
        var frozen = frozen
        frozen.row = nil
        unstoredBytes += Self.cost(of: frozen.entry.batch)
        return frozen
    }

    /// Removes the store when nobody needs it any more: the disk is for outages.
    mutating func removeIfEmpty() {
        guard let depot = disk.depot, stored == 0, limits.spillAfter != 0,
            ledger.losses[origin.session] == nil || disk.losses[origin.session] == nil
        else { return }
        for (session, loss) in ledger.losses where session != origin.session {
            // Its last message has gone, and nobody can speak for it any more.
            guard memory.store.count == 0, head.isEmpty, attempted.isEmpty else { return }
            ledger.losses[session] = nil
            notices.append(.undeclarable(session: session, loss))
        }
        depot.store.close()
        disk.disk?.remove()
        disk.depot = nil
        disk.losses = [:]
        disk.numbers = RangeSet()
        disk.done = []
        disk.hasGivenUp = false
        disk.removeBy = nil
    }
}

extension RangeSet<UInt64> {
    mutating func insert(_ entry: Parcel) {
        guard entry.batch.numbers.upperBound < .max else { return }
        insert(contentsOf: entry.batch.numbers.lowerBound..<entry.batch.numbers.upperBound + 1)
    }

    mutating func remove(_ entry: Entry) {
        let numbers = entry.batch.numbers
        guard numbers.upperBound < .max else { return }
        remove(contentsOf: numbers.lowerBound..<numbers.upperBound + 1)
    }
}
