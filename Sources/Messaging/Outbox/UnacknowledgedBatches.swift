import Primitives
import Sightings

/// The batches that were handed out and not acknowledged, in the order of their first attempts.
struct UnacknowledgedBatches {
    private(set) var batches: [DecidedBatch] = []
    /// The number of batches that may be in flight. The broker may want fewer than the outbox.
    var window = OutboxLimits.widestWindow {
        didSet { window = max(1, min(window, OutboxLimits.widestWindow)) }
    }

    var inFlight: Int { batches.count { $0.isInFlight } }
    var hasRoom: Bool { inFlight < window }
    /// Half of the window stays free for new batches.
    var hasRoomForBacklog: Bool { inFlight < max(1, window / 2) }

    mutating func add(_ batch: DecidedBatch) {
        var batch = batch
        batch.isInFlight = true
        batches.append(batch)
    }

    enum Repetition {
        case none
        /// The next repetition is not due; new batches wait behind it.
        case later
        case now(Entry)
    }

    /// Takes the next batch to repeat. Suspects are left out.
    mutating func repeatNext(at now: Instant) -> Repetition {
        guard let index = batches.firstIndex(where: { !$0.isInFlight && !$0.isSuspect }) else {
            return .none
        }
        return batches[index].notBefore <= now ? .now(repetition(of: index)) : .later
    }

    /// Takes the next suspect. It is sent last and alone, because it may end the connection.
    mutating func repeatSuspect(at now: Instant) -> Entry? {
        guard inFlight == 0,
            let index = batches.firstIndex(where: { $0.isSuspect && $0.notBefore <= now })
        else { return nil }
        // An answer of the broker sets another time.
        batches[index].notBefore = now + OutboxLimits.suspectPause
        return repetition(of: index)
    }

    private mutating func repetition(of index: Int) -> Entry {
        batches[index].isInFlight = true
        batches[index].entry.attempts += 1
        return batches[index].entry
    }

    /// Removes a batch that is in flight; `nil` if there is none with this ID.
    mutating func remove(_ id: Entry.ID) -> DecidedBatch? {
        index(of: id).map { batches.remove(at: $0) }
    }

    mutating func retry(_ id: Entry.ID, notBefore: Instant) {
        guard let index = index(of: id) else { return }
        batches[index].isInFlight = false
        batches[index].notBefore = notBefore
    }

    mutating func connectionLost() {
        for index in batches.indices { batches[index].isInFlight = false }
    }

    mutating func removeExpired(_ maxAge: Duration, at now: Instant) -> [DecidedBatch] {
        let expired = batches.filter { $0.isExpired(maxAge, at: now) }
        batches.removeAll { $0.isExpired(maxAge, at: now) }
        return expired
    }

    /// The times of the next repetitions.
    var due: [Instant] {
        let isIdle = inFlight == 0
        return batches.filter { !$0.isInFlight && (isIdle || !$0.isSuspect) }.map(\.notBefore)
    }

    private func index(of id: Entry.ID) -> Int? {
        batches.firstIndex { $0.isInFlight && $0.id == id }
    }
}
