import Primitives
import Sightings

/// The batches that the broker has not acknowledged, with limits for their size and age.
///
/// New batches wait in memory and are handed out first. Batches without a timely acknowledgement are stored: in a file,
/// or in memory while the disk does not work. Stored batches return as the *backlog*, after new ones and at a limited
/// rate. While the broker answers, the outbox stores nothing.
///
/// Every batch ends in one of four ways: it is acknowledged, still here, merged into another batch that covers its
/// number, or lost and declared by a later message of its session. A batch never changes after it was handed out.
package struct Outbox {
    let origin: Origin
    var new: NewBatches
    var unacknowledged = UnacknowledgedBatches()
    private(set) var backlog: Backlog
    var persistence: Persistence
    private(set) var clockDelay: ClockSyncDelay
    private var expiryDue: Instant?
    /// Since when there has been a loss that neither the file nor the broker has.
    private(set) var unsavedLossSince: Instant?
    /// See `takeDecisions`.
    var decisions: [StoredBatch] = []

    /// - Parameters:
    ///   - disk: the place of the file; `nil` to store in memory only. `open` finds earlier batches there.
    ///   - nextSeq: the number of the first batch; a higher first number means that batches are missing.
    ///   - seed: for the jitter of the backlog.
    package init(
        _ limits: OutboxLimits = OutboxLimits(), origin: Origin = Origin(session: ""),
        disk: (any Disk)? = nil, nextSeq: UInt64 = 0, seed: UInt64 = 0
    ) {
        self.origin = origin
        new = NewBatches(nextSeq: nextSeq)
        backlog = Backlog(seed: seed)
        persistence = Persistence(limits, origin: origin, disk: disk)
        clockDelay = ClockSyncDelay(limits.clockSyncDelay)
    }

    package var limits: OutboxLimits {
        get { persistence.limits }
        set {
            persistence.limits = newValue
            clockDelay.change(to: newValue.clockSyncDelay)
        }
    }

    /// The number of batches in flight that the broker permits.
    package var window: Int {
        get { unacknowledged.window }
        set { unacknowledged.window = newValue }
    }

    package var counters: OutboxCounters { persistence.ledger.counters }

    /// Returns the events since the last call.
    package mutating func takeEvents() -> [OutboxEvent] {
        defer { persistence.events = [] }
        return persistence.events
    }

    /// Finds the batches of earlier sessions. Creates no file.
    package mutating func open(at now: Instant) {
        guard persistence.open(at: now, creating: false), persistence.stored > 0 else { return }
        persistence.events.append(.foundBacklog(batches: persistence.stored))
    }

    /// Adds a new batch. Numbers that it skips are lost. A number that was here before is ignored.
    package mutating func append(_ batch: Batch, stamp: Stamp, at now: Instant) {
        guard noteArrival(of: batch.seq) else { return }
        new.append(StoredBatch(origin: origin, batch: batch, stamp: stamp), at: now)
        if limits.persistAfter != nil, unstoredBytes > OutboxLimits.maxUnstored { persist(at: now) }
    }

    /// Notes the number of a batch. The numbers that it skips are lost.
    ///
    /// - Returns: whether the number is new.
    @discardableResult
    mutating func noteArrival(of seq: UInt64) -> Bool {
        switch new.noteArrival(of: seq) {
        case .repeated: return false
        case .next: return true
        case .behindGap(let numbers):
            persistence.ledger.counters.missed &+= seq - numbers.lowerBound
            persistence.ledger.lose(numbers, of: origin.session, .mailboxFull)
            return true
        }
    }

    /// Hands out the next batch for a connected broker: a repetition first, then new batches, then the backlog.
    ///
    /// - Parameter clock: the wall clock. It stamps a batch at its first attempt if an unset clock stamped it before.
    ///   `nil` if the source of the batches stamps them itself.
    /// - Returns: the batch, in flight from now on; `nil` if nothing can be sent now.
    package mutating func next(at now: Instant, clock: Stamp? = nil) -> Entry? {
        let isDelayed = clockDelay.applies(clock, at: now)
        guard unacknowledged.hasRoom else { return nil }
        switch unacknowledged.repeatNext(at: now) {
        case .later: return nil
        case .now(let entry): return repeated(entry)
        case .none: break
        }
        if unacknowledged.mustRepeatSuspect(at: now) { return suspect(at: now) }
        if let surplus = unacknowledged.removeSurplusSuspect() { refused(surplus) }
        guard unacknowledged.takesMore else { return suspect(at: now) }
        if !isDelayed || !isNewDelayed, let batch = nextNew(clock, at: now) { return sent(batch) }
        if let batch = nextOfBacklog(clock, isDelayed: isDelayed, at: now) { return sent(batch) }
        return suspect(at: now)
    }

    private mutating func suspect(at now: Instant) -> Entry? {
        unacknowledged.repeatSuspect(at: now).map { repeated($0) }
    }

    private mutating func sent(_ batch: DecidedBatch) -> Entry {
        unacknowledged.add(batch)
        persistence.ledger.counters.published &+= 1
        return batch.entry
    }

    private mutating func repeated(_ entry: Entry) -> Entry {
        persistence.ledger.counters.published &+= 1
        persistence.ledger.counters.repeated &+= 1
        return entry
    }

    /// Whether new batches wait for the clock.
    var isNewDelayed: Bool { new.queue.first?.stored.needsClock(at: origin) ?? false }

    /// Ends the wait for the clock, because the agent stops, or because there is no clock to wait for.
    package mutating func cancelClockDelay() { clockDelay.cancel() }

    /// Whether batches may have to wait for the clock.
    package var mayDelay: Bool { clockDelay.isPossible }

    // MARK: Answers of the broker

    /// The broker has the batch. Returns false if no such batch is in flight.
    @discardableResult
    package mutating func acknowledge(_ id: Entry.ID) -> Bool {
        guard let batch = unacknowledged.remove(id, isAcknowledged: true) else { return false }
        persistence.acknowledged(batch.entry)
        persistence.ledger.counters.acknowledged &+= 1
        return true
    }

    /// The broker rejected the batch temporarily: it is sent again from `notBefore`, and newer batches wait behind it.
    package mutating func retry(_ id: Entry.ID, notBefore: Instant) {
        unacknowledged.retry(id, notBefore: notBefore)
    }

    /// The broker rejected the batch permanently: it is lost and declared, with the loss that it declares.
    ///
    /// - Returns: the batch.
    @discardableResult
    package mutating func setAside(_ id: Entry.ID) -> Batch? {
        guard let batch = unacknowledged.remove(id, isAcknowledged: false) else { return nil }
        refused(batch)
        return batch.entry.batch
    }

    private mutating func refused(_ batch: DecidedBatch) {
        persistence.ledger.counters.refused &+= 1
        persistence.giveUp(batch.entry, .refused)
    }

    /// The source of a batch that is in flight.
    package func origin(of id: Entry.ID) -> Origin? { unacknowledged.entry(id)?.stored.origin }

    /// The broker ends connections over this batch: it is sent last and alone.
    package mutating func suspect(_ id: Entry.ID) { unacknowledged.suspect(id) }

    /// All batches in flight wait to be sent again, in the same order.
    package mutating func connectionLost() {
        unacknowledged.connectionLost()
        backlog.rate.connectionLost()
    }

    // MARK: New batches

    private mutating func nextNew(_ clock: Stamp?, at now: Instant) -> DecidedBatch? {
        undoLostWriteAhead()
        // The second attempt uses the file that replaced a corrupt one.
        for _ in 0..<2 where mustWriteAhead { new.writeAhead(to: &persistence, clock, at: now) }
        if let batch = new.popWrittenAhead() { return batch }
        guard let batch = new.popFirst() else { return nil }
        let decided = persistence.decide(batch, clock)
        if decided.entry.stamp != batch.stored.stamp || decided.entry.lost != batch.stored.lost {
            decisions.append(decided.entry.stored)
        }
        return decided
    }

    /// Whether the next new batch must be stored before it is handed out.
    private var mustWriteAhead: Bool {
        guard persistence.hasDisk, new.writtenAhead.isEmpty, !new.queue.isEmpty else {
            return false
        }
        if limits.persistAfter == .zero { return true }
        return undeclared != nil && !persistence.rows.permitsDeclaring(of: origin.session)
    }

    private mutating func undoLostWriteAhead() {
        new.undoLostWriteAhead(to: &persistence, of: origin.session)
    }

    // MARK: Backlog

    private mutating func nextOfBacklog(
        _ clock: Stamp?, isDelayed: Bool, at now: Instant
    ) -> DecidedBatch? {
        if !isDelayed { backlog.waitsForClock = false }
        guard hasBacklog, unacknowledged.hasRoomForBacklog, backlog.rate.isDue(at: now) else {
            return nil
        }
        if backlog.loaded.isEmpty, !backlog.waitsForClock {
            load(persistence.loadFromDisk(clock, isDelayed: isDelayed, at: now), clock, at: now)
            if backlog.loaded.isEmpty {
                load(persistence.loadFromMemory(clock, isDelayed: isDelayed), clock, at: now)
            }
        }
        guard let batch = backlog.popFirst() else { return nil }
        backlog.rate.sent(perSecond: limits.backlogPerSecond, at: now)
        return batch
    }

    private mutating func load(
        _ loading: Persistence.Loading, _ clock: Stamp?, at now: Instant
    ) {
        switch loading {
        case .nothing: break
        case .waitsForClock: backlog.waitsForClock = true
        case .loaded(let batches):
            let age = age(at: now, clock)
            for (row, stored) in batches {
                let since = age.begin(stored, at: origin)
                let id = backlog.add(stored, since: since, at: now)
                persistence.noteLoaded(row, Entry(id: id, stored: stored))
            }
        }
    }

    // MARK: Time

    /// Does what is due: stores batches, removes acknowledged ones, drops old ones, and retries a failed disk.
    package mutating func tick(at now: Instant, clock: Stamp? = nil) {
        noteUnsavedLoss(at: now)
        let isDue = persistDue.map { $0 <= now } ?? false
        let canMove = persistence.inMemory > 0 && persistence.mayTry(at: now)
        if isDue || canMove { persist(at: now) }
        if expiryDue.map({ $0 <= now }) ?? true {
            expiryDue = now + OutboxLimits.expiryInterval
            expire(at: now, clock: clock)
        }
        persistence.removeReleased(isIdle: isIdle, at: now)
        undoLostWriteAhead()
    }

    /// Stores everything before the end, and closes the file. `unsaved` counts what could not be stored.
    ///
    /// - Returns: the number of batches in the file.
    package mutating func save(at now: Instant) -> Int {
        persistence.retryNow()
        // The second attempt uses the file that replaced a corrupt one.
        for _ in 0..<2 where unsaved > 0 && limits.persistAfter != nil { persist(at: now) }
        return persistence.close(isIdle: isIdle, at: now)
    }

    /// At the end: reports a loss that no message will declare.
    package mutating func reportUndeclaredLoss() { persistence.reportUndeclaredLoss() }

    private mutating func noteUnsavedLoss(at now: Instant) {
        unsavedLossSince = hasUnsavedLoss ? unsavedLossSince ?? now : nil
    }

    /// Stores all batches that are in memory only, and the losses.
    mutating func persist(at now: Instant) {
        undoLostWriteAhead()
        let decided = unacknowledged.batches + backlog.loaded.elements
        persistence.persist(decided, new.removeAll(), at: now)
        noteUnsavedLoss(at: now)
    }

    /// Drops batches that are too old, unless they are in flight.
    package mutating func expire(at now: Instant, clock: Stamp? = nil) {
        guard limits.persistAfter != nil else { return }
        let expired =
            unacknowledged.removeExpired(limits.maxAge, at: now)
            + backlog.removeExpired(limits.maxAge, at: now)
        for batch in expired { persistence.giveUp(batch.entry, .tooOld) }
        persistence.ledger.counters.dropped &+= UInt64(expired.count)
        persistence.expire(age(at: now, clock), at: now)
    }

    func age(at now: Instant, _ clock: Stamp?) -> BatchAge {
        BatchAge(
            session: origin.session, firstSeen: persistence.firstSeen, now: now, clock: clock)
    }
}
