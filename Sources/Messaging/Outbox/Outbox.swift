import Primitives
import Sightings

/// What the broker has not acknowledged yet, bounded in bytes and in age.
///
/// A batch waits in memory, and is handed out from there at once if it can be. What has not been acknowledged for a while
/// is stored, on the disk where there is one that works, else in memory; it comes back as the *backlog*, behind what is
/// new and no faster than the limits say. While the broker answers, nothing is stored at all.
///
/// Each batch ends in exactly one of four ways: acknowledged, still here, merged into another that stands for its number,
/// or given up in a `Loss` that a later message of its session declares. What was handed out once stays as it is.
package struct Outbox {
    /// A batch that was never handed out.
    struct Waiting {
        var parcel: Parcel
        let since: Instant
    }

    /// A batch that was handed out or may have been, and is therefore frozen.
    struct Frozen {
        var entry: Entry
        let since: Instant
        /// Its row on the disk, if it has one.
        var row: Int64?
        var isInFlight = false
        var notBefore: Instant
        /// Handed out so often that it may be its own fault.
        var isSuspect: Bool { entry.attempts >= OutboxLimits.mostAttempts }
    }

    /// Who we are.
    let origin: Origin
    package var limits: OutboxLimits {
        didSet { if limits != oldValue { adopt(limits) } }
    }

    /// Handed out, and not acknowledged.
    var attempted: [Frozen] = []
    /// New ones that were written down before they are handed out.
    var writtenAhead = Queue<Frozen>()
    /// New ones.
    var waiting = Queue<Waiting>()
    /// The backlog's next.
    var head = Queue<Frozen>()
    var disk: DiskState
    /// What is stored where there is no disk; never anything that was handed out.
    var memory: Depot
    var ledger = Ledger()
    private var nextSeq: UInt64
    var nextBacklogID = Entry.ID.firstOfBacklog
    var pace: Pace
    var hold: Hold
    /// What of the backlog comes next waits for the clock.
    var isBacklogHeld = false
    var expiryDue: Instant?
    /// To be told.
    var notices: [OutboxNotice] = []

    /// Estimated memory of what waits or was handed out, and is not stored.
    var unstoredBytes = 0
    /// Batches that may be in flight at a time; the broker may want fewer than we would (1…20).
    package var window = OutboxLimits.widestWindow {
        didSet { window = max(1, min(window, OutboxLimits.widestWindow)) }
    }

    /// An empty one.
    ///
    /// - Parameters:
    ///   - nextSeq: the number of the first batch to come; higher ones tell that some are missing.
    ///   - disk: where to store what memory should not; `open` finds out what is there.
    ///   - seed: of the backlog's jitter.
    package init(
        _ limits: OutboxLimits = OutboxLimits(), origin: Origin = Origin(session: ""),
        disk: (any Disk)? = nil, nextSeq: UInt64 = 0, seed: UInt64 = 0
    ) {
        self.limits = limits
        self.origin = origin
        self.disk = DiskState(disk)
        self.nextSeq = nextSeq
        memory = Depot(
            MemoryStore(), maxBytes: min(limits.maxBytes, OutboxLimits.maxMemory),
            maxSightings: limits.maxSightings)
        pace = Pace(seed: seed)
        hold = Hold(limits.holdUnsynced)
    }

    package var counters: OutboxCounters { ledger.counters }

    /// What this session has given up and not declared.
    package var undeclared: Loss? { ledger.losses[origin.session] }

    /// What there is to tell, once.
    package mutating func takeNotices() -> [OutboxNotice] {
        defer { notices = [] }
        return notices
    }

    /// Puts a batch in, behind all others; numbers that were left out are lost, and one that has been here is ignored.
    package mutating func append(_ batch: Batch, stamp: Stamp, at now: Instant) {
        guard batch.seq >= nextSeq else { return }
        if batch.seq > nextSeq {
            ledger.counters.missed &+= batch.seq - nextSeq
            ledger.lose(nextSeq...batch.seq - 1, of: origin.session, .mailboxFull)
        }
        nextSeq = batch.seq == .max ? .max : batch.seq + 1
        waiting.append(
            Waiting(parcel: Parcel(origin: origin, batch: batch, stamp: stamp), since: now))
        unstoredBytes += Self.cost(of: batch)
        // No more than a bound's worth waits for its time, whoever is slow.
        if limits.spillAfter != nil, unstoredBytes > OutboxLimits.maxWaiting { spill(at: now) }
    }

    /// Takes the next batch to hand to the broker: one to be repeated, else a new one, else one of the backlog.
    ///
    /// It is asked for when there is a broker. For a while after the first time, what this boot's clock labelled before
    /// it was set waits for that.
    ///
    /// - Parameter clock: what the wall clock says now. It is asked for at a batch's first attempt only, and where the
    ///   batch was stamped by a clock that was not to be trusted; `nil` where that was settled at the source.
    /// - Returns: the batch, in flight from now on; `nil` when nothing may be sent now.
    package mutating func next(at now: Instant, clock: Stamp? = nil) -> Entry? {
        let isHeld = hold.goesOn(clock, at: now)
        guard inFlight < window else { return nil }
        if let index = attempted.firstIndex(where: { !$0.isInFlight && !$0.isSuspect }) {
            return attempted[index].notBefore <= now ? handOutAgain(index) : nil
        }
        if !isHeld || !isNewHeld {
            if mustWriteAhead { writeAhead(clock, at: now) }
            // A damaged store has made way for another.
            if mustWriteAhead, disk.isUsable { writeAhead(clock, at: now) }
            if let frozen = writtenAhead.popFirst() { return handOut(frozen) }
            if let new = waiting.popFirst() { return handOut(freeze(new, clock)) }
        }
        if let frozen = nextOfBacklog(clock, isHeld: isHeld, at: now) { return handOut(frozen) }
        return nextSuspect(at: now)
    }

    /// Waits for the clock no longer: this is the end, or there is no clock to wait for.
    package mutating func letGo() { hold.letGo() }

    /// Whether what this boot's clock labels before it is set would have to wait for that.
    package var mayHold: Bool { hold.isPossible }

    /// Whether what is new waits for the clock, as long as anything does.
    var isNewHeld: Bool { waiting.first.map { Hold.concerns($0.parcel, at: origin) } ?? false }

    /// Decides what a new batch's message will be.
    func frozen(_ new: Waiting, _ clock: Stamp?, _ lost: Loss?) -> Frozen {
        var parcel = new.parcel
        parcel.restamp(clock, at: origin)
        parcel.lost.merge(lost)
        return Frozen(
            entry: Entry(id: Entry.ID(rawValue: parcel.batch.seq), parcel: parcel),
            since: new.since, row: nil, notBefore: new.since)
    }

    private mutating func freeze(_ new: Waiting, _ clock: Stamp?) -> Frozen {
        let lost =
            disk.letsDeclare(origin.session)
            ? ledger.take(before: new.parcel.batch.numbers, of: origin.session) : nil
        return frozen(new, clock, lost)
    }

    private mutating func handOut(_ frozen: Frozen) -> Entry {
        var frozen = frozen
        frozen.isInFlight = true
        attempted.append(frozen)
        ledger.counters.published &+= 1
        return frozen.entry
    }

    /// The memory that a batch is reckoned to take, in bytes: its sightings, its place in a queue that may be half empty,
    /// and the head of its own array.
    package static func cost(of batch: Batch) -> Int {
        batch.sightings.count * MemoryLayout<Sighting>.stride
            + 2 * MemoryLayout<Waiting>.stride + 64
    }
}
