import Beacon
import Sighting

/// What the broker has not acknowledged yet, oldest first, bounded in bytes and in age.
///
/// Each batch put in ends in exactly one of four ways: acknowledged, still here, or, set aside or dropped, in a `Loss` that
/// a later message declares. When there is no room, the oldest batch that was never handed out goes first; one that was may
/// be with the broker already, and has to stay as it is: at most `OutboxLimits.widestWindow` of those.
///
/// This one lives in memory. One that survives its process keeps these functions and puts a database behind `append`
/// and the answers.
package struct Outbox {
    /// A batch that was never handed out.
    private struct Waiting {
        let batch: Batch
        /// The wall clock as it stood when the batch was made.
        let stamp: Stamp
        let since: Instant
        /// What was missing when it came.
        let lost: Loss?
    }

    /// A batch that was handed out, and is therefore frozen.
    private struct Attempted {
        var entry: Entry
        let since: Instant
        var isInFlight = true
        var notBefore: Instant
    }

    private let limits: OutboxLimits
    /// In order, and all older than those waiting.
    private var attempted: [Attempted] = []
    private var waiting = Queue<Waiting>()
    /// Lost before the first batch that waits, and not declared yet.
    package private(set) var undeclared: Loss?
    private var nextSeq: UInt64

    package private(set) var counters = OutboxCounters()
    /// Estimated memory of what is kept.
    package private(set) var bytes = 0
    /// Batches that may be in flight at a time; the broker may want fewer than we would (1…20).
    package var window = OutboxLimits.widestWindow {
        didSet { window = max(1, min(window, OutboxLimits.widestWindow)) }
    }

    /// An empty one; `nextSeq` is the number of the first batch to come, and higher ones tell that some are missing.
    package init(_ limits: OutboxLimits = OutboxLimits(), nextSeq: UInt64 = 0) {
        self.limits = limits
        self.nextSeq = nextSeq
    }

    /// Batches kept, in flight or not.
    package var depth: Int { attempted.count + waiting.count }

    /// Batches handed out and not answered.
    package var inFlight: Int { attempted.count { $0.isInFlight } }

    /// How long the oldest batch has been here, in microseconds; zero when there is none.
    package func oldestAge(at now: Instant) -> Int64 {
        let oldest = attempted.first?.since ?? waiting.first?.since
        return oldest.map { max(0, now.microseconds(since: $0)) } ?? 0
    }

    /// Puts a batch in, behind all others; numbers that were left out are lost, and one that has been here is ignored.
    package mutating func append(_ batch: Batch, stamp: Stamp, at now: Instant) {
        guard batch.seq >= nextSeq else { return }
        var lost: Loss?
        if batch.seq > nextSeq {
            let missing = batch.seq - nextSeq
            counters.missed &+= missing
            lost = Loss(
                batches: missing, fromSeq: nextSeq, toSeq: batch.seq - 1, reason: .mailboxFull)
        }
        nextSeq = batch.seq == .max ? .max : batch.seq + 1
        waiting.append(Waiting(batch: batch, stamp: stamp, since: now, lost: lost))
        bytes += Self.cost(of: batch)
        expire(at: now)
        while bytes > limits.maxBytes, !waiting.isEmpty { dropOldestWaiting(.outboxFull) }
    }

    /// Takes the next batch to hand to the broker.
    ///
    /// `restamp` is asked at a batch's first attempt only, and its answer remembered: with what wall time to label what
    /// was made under the one given.
    ///
    /// - Returns: the batch, in flight from now on; `nil` when nothing may be sent now.
    package mutating func next(at now: Instant, restamp: (Stamp) -> Stamp = { $0 }) -> Entry? {
        expire(at: now)
        guard inFlight < window else { return nil }
        if let index = attempted.firstIndex(where: { !$0.isInFlight }) {
            guard attempted[index].notBefore <= now else { return nil }
            attempted[index].isInFlight = true
            attempted[index].entry.attempts += 1
            counters.published &+= 1
            counters.repeated &+= 1
            return attempted[index].entry
        }
        guard let oldest = waiting.popFirst() else { return nil }
        undeclared.merge(oldest.lost)
        let entry = Entry(
            id: Entry.ID(rawValue: oldest.batch.seq), batch: oldest.batch,
            stamp: restamp(oldest.stamp),
            lost: undeclared)
        undeclared = nil
        attempted.append(Attempted(entry: entry, since: oldest.since, notBefore: now))
        counters.published &+= 1
        return entry
    }

    /// The broker has it; `false` when no such batch is in flight.
    @discardableResult
    package mutating func acknowledge(_ id: Entry.ID) -> Bool {
        guard let index = indexInFlight(id) else { return false }
        remove(attempted: index)
        counters.acknowledged &+= 1
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
        let entry = remove(attempted: index)
        undeclared.merge(entry.lost)
        undeclared.merge(Loss(of: entry.batch.seq, reason: .refused))
        counters.refused &+= 1
        return entry.batch
    }

    /// Nothing in flight will be answered any more: all of it waits again, in order and at once.
    package mutating func connectionLost() {
        for index in attempted.indices where attempted[index].isInFlight {
            attempted[index].isInFlight = false
        }
    }

    /// Gives up what is too old, unless it is in flight; `next` and `append` do the same.
    package mutating func expire(at now: Instant) {
        let isTooOld = { [limits] (since: Instant) in
            now.microseconds(since: since) > limits.maxAge
        }
        while let index = attempted.firstIndex(where: { !$0.isInFlight && isTooOld($0.since) }) {
            let entry = remove(attempted: index)
            undeclared.merge(entry.lost)
            undeclared.merge(Loss(of: entry.batch.seq, reason: .tooOld))
            counters.dropped &+= 1
        }
        while let oldest = waiting.first, isTooOld(oldest.since) { dropOldestWaiting(.tooOld) }
    }

    private mutating func dropOldestWaiting(_ reason: Loss.Reason) {
        guard let oldest = waiting.popFirst() else { return }
        bytes -= Self.cost(of: oldest.batch)
        undeclared.merge(oldest.lost)
        undeclared.merge(Loss(of: oldest.batch.seq, reason: reason))
        counters.dropped &+= 1
    }

    private func indexInFlight(_ id: Entry.ID) -> Int? {
        attempted.firstIndex { $0.isInFlight && $0.entry.id == id }
    }

    @discardableResult
    private mutating func remove(attempted index: Int) -> Entry {
        let entry = attempted.remove(at: index).entry
        bytes -= Self.cost(of: entry.batch)
        return entry
    }

    /// The memory that a batch is reckoned to take, in bytes: its sightings, its place in a queue that may be half empty,
    /// and the head of its own array.
    package static func cost(of batch: Batch) -> Int {
        batch.sightings.count * MemoryLayout<Sighting>.stride
            + 2 * MemoryLayout<Waiting>.stride + 64
    }
}
