import Primitives
import Sightings

/// The batches that were handed out and not acknowledged, in the order of their first attempts.
struct UnacknowledgedBatches {
    private(set) var batches: [DecidedBatch] = []
    /// The number of batches that may be in flight. The broker may want fewer than the outbox.
    var window = OutboxLimits.widestWindow {
        didSet { window = max(1, min(window, OutboxLimits.widestWindow)) }
    }
    /// The time of the latest suspect without an answer.
    private var lastSuspect: Instant?
    /// A batch was acknowledged while there were suspects: the broker accepts batches.
    private var hasAcknowledgedBesides = false

    var inFlight: Int { batches.count { $0.isInFlight } }
    var hasRoom: Bool { inFlight < window }
    /// Half of the window stays free for new batches.
    var hasRoomForBacklog: Bool { inFlight < max(1, window / 2) }

    /// Whether another batch may be tried. Many suspects mean that the broker is the cause, not the batches.
    var takesMore: Bool { batches.count { $0.isSuspect } < OutboxLimits.mostSuspects }

    /// Removes the oldest suspect if there are too many, although the broker accepts other batches.
    mutating func removeSurplusSuspect() -> DecidedBatch? {
        guard !takesMore, hasAcknowledgedBesides,
            let index = batches.firstIndex(where: { $0.isSuspect && !$0.isInFlight })
        else { return nil }
        hasAcknowledgedBesides = false
        return batches.remove(at: index)
    }

    mutating func add(_ batch: DecidedBatch) {
        var batch = batch
        batch.isInFlight = true
        batches.append(batch)
    }

    /// Adds a batch that is sent like a repetition.
    mutating func addUnsent(_ batch: DecidedBatch) { batches.append(batch) }

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
        return batches[index].notBefore <= now ? .now(repetition(of: index, at: now)) : .later
    }

    /// Whether a suspect has waited so long for the end of all other publications that no other batch may be sent before it.
    func mustRepeatSuspect(at now: Instant) -> Bool {
        suspectDue.map { $0 + OutboxLimits.suspectPatience <= now } ?? false
    }

    /// When the next suspect may be sent, if no batch is in flight then.
    private var suspectDue: Instant? {
        let next = batches.filter { $0.isSuspect && !$0.isInFlight }.map(\.notBefore).min()
        let gap = lastSuspect.map { $0 + OutboxLimits.suspectGap }
        return next.map { max($0, gap ?? $0) }
    }

    /// Takes the next suspect. It is sent last and alone, because it may end the connection.
    mutating func repeatSuspect(at now: Instant) -> Entry? {
        guard inFlight == 0, let due = suspectDue, due <= now else { return nil }
        // The batch with the fewest attempts is the least suspicious one.
        let index = batches.indices.filter { batches[$0].isSuspect && batches[$0].notBefore <= now }
            .min { batches[$0].entry.attempts < batches[$1].entry.attempts }
        guard let index else { return nil }
        lastSuspect = now
        defer { batches[index].notBefore = now + OutboxLimits.suspectPause }
        return repetition(of: index, at: now)
    }

    private mutating func repetition(of index: Int, at now: Instant) -> Entry {
        batches[index].isInFlight = true
        batches[index].notBefore = now
        batches[index].entry.attempts += 1
        return batches[index].entry
    }

    /// Removes a batch that is in flight; `nil` if there is none with this ID.
    ///
    /// - Parameter isAcknowledged: whether the broker has accepted it.
    mutating func remove(_ id: Entry.ID, isAcknowledged: Bool) -> DecidedBatch? {
        guard let index = index(of: id) else { return nil }
        let batch = batches.remove(at: index)
        let hasSuspects = batches.contains(where: \.isSuspect)
        if isAcknowledged || !hasSuspects { hasAcknowledgedBesides = hasSuspects }
        if batch.isSuspect {
            // The broker answers suspects again: no other one has to wait.
            lastSuspect = nil
            for index in batches.indices where isAcknowledged && batches[index].isSuspect {
                batches[index].notBefore = batches[index].since
            }
        }
        return batch
    }

    func entry(_ id: Entry.ID) -> Entry? { index(of: id).map { batches[$0].entry } }

    mutating func retry(_ id: Entry.ID, notBefore: Instant) {
        guard let index = index(of: id) else { return }
        batches[index].isInFlight = false
        batches[index].notBefore = notBefore
        if batches[index].isSuspect { lastSuspect = nil }
    }

    /// The broker ends connections over this batch, which is in flight.
    mutating func suspect(_ id: Entry.ID) {
        if let index = index(of: id) { batches[index].endsConnections = true }
    }

    mutating func connectionLost() {
        for index in batches.indices { batches[index].isInFlight = false }
    }

    mutating func removeExpired(_ maxAge: Duration, at now: Instant) -> [DecidedBatch] {
        let expired = batches.filter { $0.isExpired(maxAge, at: now) }
        batches.removeAll { $0.isExpired(maxAge, at: now) }
        return expired
    }

    /// The next repetition.
    enum Due: Equatable {
        /// A repetition at this time; everything else waits behind it.
        case repetition(Instant)
        /// A suspect at this time, or `nil`; an answer of the broker may come first.
        case suspect(Instant?)
    }

    var due: Due {
        if let next = batches.first(where: { !$0.isInFlight && !$0.isSuspect }) {
            return .repetition(next.notBefore)
        }
        return .suspect(inFlight == 0 ? suspectDue : nil)
    }

    private func index(of id: Entry.ID) -> Int? {
        batches.firstIndex { $0.isInFlight && $0.id == id }
    }
}
