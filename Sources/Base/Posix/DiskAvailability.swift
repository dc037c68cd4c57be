import Primitives

/// Whether a disk works, and when to try it again after a failure.
package struct DiskAvailability: Sendable {
    package private(set) var isFailing = false
    /// The time of the next attempt after a failure.
    package private(set) var nextAttempt: Instant?
    /// The cap is low: an attempt costs little, and data that is only in memory is lost if the process is killed.
    private var backoff = Backoff(base: .seconds(10), cap: .seconds(30))

    package init() {}

    package func mayTry(at now: Instant) -> Bool { nextAttempt.map { $0 <= now } ?? true }

    /// Permits an attempt immediately.
    package mutating func retryNow() { nextAttempt = nil }

    /// - Returns: whether this ends a failure.
    package mutating func succeeded() -> Bool {
        defer { isFailing = false }
        nextAttempt = nil
        backoff.reset()
        return isFailing
    }

    /// - Returns: whether this begins a failure.
    package mutating func failed(at now: Instant) -> Bool {
        defer { isFailing = true }
        // Without jitter: no other machine uses this disk.
        nextAttempt = now + backoff.delay(random: .max)
        return !isFailing
    }
}
