import Primitives
import Sightings

/// The part of the stored batches that is loaded, and the pace of sending it.
struct Backlog {
    private(set) var loaded = Queue<DecidedBatch>()
    private var nextID = Entry.ID.firstOfBacklog
    var rate: RateLimiter
    /// The next stored batch waits for the clock.
    var waitsForClock = false

    init(seed: UInt64) { rate = RateLimiter(seed: seed) }

    /// Adds a loaded batch.
    ///
    /// - Returns: its ID in this outbox.
    mutating func add(_ stored: StoredBatch, since: Instant, at now: Instant) -> Entry.ID {
        let id = Entry.ID(rawValue: nextID)
        nextID += 1
        loaded.append(
            DecidedBatch(entry: Entry(id: id, stored: stored), since: since, notBefore: now))
        return id
    }

    mutating func popFirst() -> DecidedBatch? { loaded.popFirst() }

    mutating func removeExpired(_ maxAge: Duration, at now: Instant) -> [DecidedBatch] {
        let all = loaded.elements
        loaded = Queue(all.filter { !$0.isExpired(maxAge, at: now) })
        return all.filter { $0.isExpired(maxAge, at: now) }
    }
}

/// Calculates the age of stored batches.
struct BatchAge {
    let session: String
    /// The discovery of the batches of earlier sessions. A batch without a known age counts from here.
    let firstSeen: Instant?
    let now: Instant
    let clock: Stamp?

    /// The time since the end of the batch's window; `nil` if unknown. For a batch of another session, the wall clock
    /// decides, if it was set then and is set now.
    func known(_ header: BatchHeader) -> Duration? {
        if header.session == session { return now - header.interval.end }
        guard let clock, clock.clock == .synced, header.stamp.clock == .synced else { return nil }
        return clock.wall(of: now) - header.stamp.wall(of: header.interval.end)
    }

    /// The time since the discovery of earlier sessions' batches.
    var sinceFirstSeen: Duration { firstSeen.map { now - $0 } ?? .zero }

    /// `nil` if the age is unknown, and the batch was discovered recently.
    func isTooOld(_ header: BatchHeader, _ maxAge: Duration) -> Bool? {
        if let age = known(header) { return age > maxAge }
        return sinceFirstSeen > maxAge ? true : nil
    }

    /// The begin of the age of a loaded batch.
    func begin(_ stored: StoredBatch, at here: Origin) -> Instant {
        if stored.origin.sharesClock(with: here) { return stored.batch.interval.end }
        return now - max(.zero, known(BatchHeader(of: stored, isFinal: true)) ?? sinceFirstSeen)
    }
}
