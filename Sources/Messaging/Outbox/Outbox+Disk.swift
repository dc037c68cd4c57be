import Primitives
import Sightings

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
        ledger.givenUp = []
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
        forgetGivenUp()
        disk.depot = depot
        disk.losses = ledger.losses
        disk.done = []
        disk.hasGivenUp = false
        disk.removeBy = nil
        if disk.succeeded() { notices.append(.diskIsBack) }
        return true
    }

    /// What was given up there is not there any more.
    mutating func forgetGivenUp() {
        for (session, numbers) in ledger.givenUp where session == origin.session {
            disk.numbers.remove(numbers)
        }
    }

    private mutating func openDisk(at now: Instant, creating: Bool) -> Bool {
        guard disk.mayTry(at: now) else { return false }
        guard disk.depot == nil else { return true }
        do throws(StoreFailure) {
            guard let store = try disk.disk?.open(creating: creating) else { return false }
            disk.seenSince = disk.seenSince ?? now
            disk.losses = try store.losses()
            for (session, loss) in disk.losses { ledger.merge(loss, of: session) }
            disk.depot = Depot(
                store, maxBytes: limits.maxBytes, maxSightings: limits.maxSightings)
            return true
        } catch {
            failed(error, at: now)
            return disk.depot != nil
        }
    }

    mutating func failed(_ failure: StoreFailure, at now: Instant) {
        switch failure.cause {
        case .unusable:
            if disk.failed(at: now) { notices.append(.diskFailed(failure.description)) }
        case .damaged: startAnew(failure, at: now)
        }
    }

    /// Its row is gone.
    mutating func unstored(_ frozen: Frozen) -> Frozen {
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
        guard tellUndeclarable() else { return }
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

extension Outbox {
    /// Tells of losses of earlier sessions once their last message has gone, and nobody can speak for them any more.
    ///
    /// - Returns: whether there are none left.
    mutating func tellUndeclarable() -> Bool {
        let others = ledger.losses.filter { $0.key != origin.session }
        guard !others.isEmpty else { return true }
        guard stored == 0, memory.store.count == 0, head.isEmpty, attempted.isEmpty else {
            return false
        }
        for (session, loss) in others {
            ledger.losses[session] = nil
            notices.append(.undeclarable(session: session, loss))
        }
        return true
    }

    /// At the very end: tells of this session's loss, unless the disk has it and the next session will.
    package mutating func tellUndeclared() {
        guard let loss = undeclared, disk.losses[origin.session] != loss else { return }
        ledger.losses[origin.session] = nil
        notices.append(.undeclarable(session: origin.session, loss))
    }
}

extension RangeSet<UInt64> {
    mutating func insert(_ entry: Parcel) { insert(entry.batch.numbers) }

    mutating func remove(_ entry: Entry) { remove(entry.batch.numbers) }

    mutating func insert(_ numbers: ClosedRange<UInt64>) {
        guard numbers.upperBound < .max else { return }
        insert(contentsOf: numbers.lowerBound..<numbers.upperBound + 1)
    }

    mutating func remove(_ numbers: ClosedRange<UInt64>) {
        guard numbers.upperBound < .max else { return }
        remove(contentsOf: numbers.lowerBound..<numbers.upperBound + 1)
    }

    func overlaps(_ numbers: ClosedRange<UInt64>) -> Bool {
        guard numbers.upperBound < .max else { return true }
        return !intersection(RangeSet(numbers.lowerBound..<numbers.upperBound + 1)).isEmpty
    }
}
