import Primitives
import Sightings

/// A batch that was never handed out.
struct NewBatch {
    var stored: StoredBatch
    let since: Instant

    /// Decides the message of the batch.
    ///
    /// - Parameter lost: a loss that the message declares.
    func decided(_ clock: Stamp?, _ lost: Loss?, at here: Origin) -> DecidedBatch {
        var stored = stored
        stored.restamp(clock, at: here)
        stored.lost.merge(lost)
        let id = Entry.ID(rawValue: stored.batch.seq)
        return DecidedBatch(
            entry: Entry(id: id, stored: stored), since: since, notBefore: since)
    }
}

/// A batch whose message is decided: the batch was handed out, or is stored to be handed out.
struct DecidedBatch {
    var entry: Entry
    /// The begin of its age.
    let since: Instant
    var notBefore: Instant
    var isInFlight = false

    var id: Entry.ID { entry.id }
    /// The broker ends connections over this batch.
    var endsConnections = false
    /// Whether the batch may be the cause of the failures; after this number of attempts as well.
    var isSuspect: Bool { endsConnections || entry.attempts >= OutboxLimits.mostAttempts }

    /// Whether the batch is too old and not in flight.
    func isExpired(_ maxAge: Duration, at now: Instant) -> Bool {
        !isInFlight && now - since > maxAge
    }
}

/// New batches in memory, in the order of their numbers.
struct NewBatches {
    /// Batches that are stored and decided, and go first.
    private(set) var writtenAhead = Queue<DecidedBatch>()
    private(set) var queue = Queue<NewBatch>()
    /// The number of the next batch. A higher number means that batches are missing.
    private(set) var nextSeq: UInt64
    /// The estimated memory of `queue`.
    private(set) var bytes = 0

    init(nextSeq: UInt64) { self.nextSeq = nextSeq }

    var isEmpty: Bool { writtenAhead.isEmpty && queue.isEmpty }

    enum Arrival: Equatable {
        case next
        /// The batch is new, but these numbers before it never arrived.
        case behindGap(ClosedRange<UInt64>)
        case repeated
    }

    /// Notes the number of a batch.
    mutating func noteArrival(of seq: UInt64) -> Arrival {
        guard seq >= nextSeq else { return .repeated }
        let gap = seq > nextSeq ? nextSeq...seq - 1 : nil
        nextSeq = seq == .max ? .max : seq + 1
        return gap.map { .behindGap($0) } ?? .next
    }

    mutating func append(_ stored: StoredBatch, at now: Instant) {
        queue.append(NewBatch(stored: stored, since: now))
        bytes += stored.batch.memoryCost
    }

    mutating func popFirst() -> NewBatch? {
        let first = queue.popFirst()
        if let first { bytes -= first.stored.batch.memoryCost }
        return first
    }

    mutating func removeAll() -> [StoredBatch] {
        defer { (queue, bytes) = (Queue(), 0) }
        return queue.elements.map(\.stored)
    }

    /// Stores the first batches before they are handed out: as many as may be in flight, or the one that declares a loss.
    mutating func writeAhead(to persistence: inout Persistence, _ clock: Stamp?, at now: Instant) {
        let isAlways = persistence.limits.persistAfter == .zero
        let first = Array(queue.elements.prefix(isAlways ? OutboxLimits.widestWindow : 1))
        for batch in persistence.writeAhead(first, clock, creating: isAlways, at: now) {
            _ = popFirst()
            writtenAhead.append(batch)
        }
    }

    mutating func popWrittenAhead() -> DecidedBatch? { writtenAhead.popFirst() }

    /// Makes batches new again that were written ahead into a corrupt file.
    mutating func undoLostWriteAhead(to persistence: inout Persistence, of session: String) {
        guard let first = writtenAhead.first, persistence.rows[first.id] == nil else { return }
        for loss in undoWrittenAhead() { persistence.ledger.merge(loss, of: session) }
    }

    /// - Returns: the losses that the batches were to declare.
    private mutating func undoWrittenAhead() -> [Loss] {
        var losses: [Loss] = []
        let undone = writtenAhead.elements.map { decided in
            var stored = decided.entry.stored
            if let lost = stored.lost { losses.append(lost) }
            stored.lost = nil
            bytes += stored.batch.memoryCost
            return NewBatch(stored: stored, since: decided.since)
        }
        queue = Queue(undone + queue.elements)
        writtenAhead = Queue()
        return losses
    }
}

extension Batch {
    /// The estimated memory of a batch: its sightings, its place in a queue that may be half empty, and an array header.
    package var memoryCost: Int {
        sightings.count * MemoryLayout<Sighting>.stride + 2 * MemoryLayout<NewBatch>.stride + 64
    }
}
