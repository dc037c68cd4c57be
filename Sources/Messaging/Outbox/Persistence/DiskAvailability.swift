import Posix
import Primitives

/// Whether the disk works, and when to try it again after a failure.
struct DiskAvailability {
    private(set) var isInTrouble = false
    /// The time of the next attempt after a failure.
    private(set) var nextAttempt: Instant?
    /// The cap is low: an attempt costs little, and batches in memory are lost if the agent is killed.
    private var backoff = Backoff(base: .seconds(10), cap: .seconds(30))

    func mayTry(at now: Instant) -> Bool { nextAttempt.map { $0 <= now } ?? true }

    /// Permits an attempt immediately.
    mutating func retryNow() { nextAttempt = nil }

    /// - Returns: whether this ends a trouble.
    mutating func succeeded() -> Bool {
        defer { isInTrouble = false }
        nextAttempt = nil
        backoff.reset()
        return isInTrouble
    }

    /// - Returns: whether this begins a trouble.
    mutating func failed(at now: Instant) -> Bool {
        defer { isInTrouble = true }
        // Without jitter: no other gateway uses this disk.
        nextAttempt = now + backoff.delay(random: .max)
        return !isInTrouble
    }
}
