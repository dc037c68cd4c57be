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
