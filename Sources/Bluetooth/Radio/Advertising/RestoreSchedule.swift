import Primitives

/// When to put back what is in force and is not on the air: at most once a second, and ever more seldom while the
/// controller refuses it.
struct RestoreSchedule {
    /// Between two attempts, in microseconds: no duel with another program.
    static let leastPause: Int64 = 1_000_000
    /// The longest pause, in microseconds.
    private static let greatestPause: Int64 = 60_000_000

    private(set) var due: Instant?
    private var latest: Instant?
    /// Refusals since the last success.
    private var refusals = 0

    /// Soon: another program has meddled.
    mutating func schedule(at now: Instant) {
        let earliest = latest?.advanced(byMicroseconds: Self.leastPause)
        due = max(now, earliest ?? now)
    }

    /// After 1, 2, 4, … 60 seconds: the controller has refused it.
    mutating func postpone(at now: Instant) {
        let pause = Self.leastPause << Int64(min(refusals, 6))
        refusals += 1
        due = now.advanced(byMicroseconds: min(pause, Self.greatestPause))
    }

    /// An attempt begins.
    mutating func begin(at now: Instant) {
        due = nil
        latest = now
    }

    /// There is nothing to put back any more.
    mutating func cancel() {
        due = nil
        refusals = 0
    }
}
