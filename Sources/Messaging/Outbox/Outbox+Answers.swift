import Primitives
import Sightings

/// What the broker says to what was handed out.
extension Outbox {
    /// The broker has it; `false` when no such batch is in flight.
    @discardableResult
    package mutating func acknowledge(_ id: Entry.ID) -> Bool {
        guard let index = indexInFlight(id) else { return false }
        letGo(attempted.remove(at: index))
        ledger.counters.acknowledged &+= 1
        return true
    }

    /// The broker would not take it now: it is handed out again from `notBefore`, and nothing younger before it.
    package mutating func retry(_ id: Entry.ID, notBefore: Instant) {
        guard let index = indexInFlight(id) else { return }
        attempted[index].isInFlight = false
        attempted[index].notBefore = notBefore
    }

    /// The broker won't ever take it: it is given up and declared lost, and so is what it was to declare.
    ///
    /// - Returns: the batch, to be logged.
    @discardableResult
    package mutating func setAside(_ id: Entry.ID) -> Batch? {
        guard let index = indexInFlight(id) else { return nil }
        ledger.counters.refused &+= 1
        return giveUp(attempted: index, .refused).batch
    }

    /// It is taken out, and lost.
    @discardableResult
    mutating func giveUp(attempted index: Int, _ reason: Loss.Reason) -> Entry {
        giveUp(attempted.remove(at: index), reason)
    }

    /// It was taken out, and is lost.
    @discardableResult
    mutating func giveUp(_ frozen: Frozen, _ reason: Loss.Reason) -> Entry {
        if frozen.row != nil { disk.hasGivenUp = true }
        letGo(frozen)
        ledger.merge(frozen.entry.lost, of: frozen.entry.session)
        ledger.lose(frozen.entry.batch.numbers, of: frozen.entry.session, reason)
        return frozen.entry
    }

    /// What was handed out so often may be what ends the connections, or what a rule of the broker's never lets through:
    /// it waits until nothing else is to be sent, and then goes alone, so that nothing else waits for it.
    mutating func nextSuspect(at now: Instant) -> Entry? {
        guard inFlight == 0,
            let index = attempted.firstIndex(where: { $0.isSuspect && $0.notBefore <= now })
        else { return nil }
        // Unless the broker answers.
        attempted[index].notBefore = now.advanced(byMicroseconds: OutboxLimits.suspectPause)
        return handOutAgain(index)
    }

    mutating func handOutAgain(_ index: Int) -> Entry {
        attempted[index].isInFlight = true
        attempted[index].entry.attempts += 1
        ledger.counters.published &+= 1
        ledger.counters.repeated &+= 1
        return attempted[index].entry
    }

    /// Nothing in flight will be answered any more: all of it waits again, in order and at once.
    package mutating func connectionLost() {
        for index in attempted.indices where attempted[index].isInFlight {
            attempted[index].isInFlight = false
        }
        pace.stop()
    }

    private func indexInFlight(_ id: Entry.ID) -> Int? {
        attempted.firstIndex { $0.isInFlight && $0.entry.id == id }
    }

    /// It was taken out: nothing of it is needed any more.
    private mutating func letGo(_ frozen: Frozen) {
        if let row = frozen.row {
            disk.done.append(row)
            if frozen.entry.session == origin.session { disk.numbers.remove(frozen.entry) }
        } else {
            unstoredBytes -= Self.cost(of: frozen.entry.batch)
        }
    }
}
