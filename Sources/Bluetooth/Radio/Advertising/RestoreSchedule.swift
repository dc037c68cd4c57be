import Primitives

/// When to restore a state that another program has changed: at most once a second, and ever more rarely while the
/// controller refuses it.
struct RestoreSchedule {
    /// The shortest time between two attempts: two programs must not overwrite each other without pause.
    static let shortestPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(60)

    private(set) var due: Instant?
    private var latest: Instant?
    /// Refusals since the last success.
    private var refusals = 0

    /// Schedules an attempt: another program has interfered.
    mutating func schedule(at now: Instant) {
        due = max(now, latest.map { $0 + Self.shortestPause } ?? now)
    }

    /// Schedules an attempt after 1, 2, 4, … 60 seconds: the controller has refused the last one.
    mutating func postpone(at now: Instant) {
        let pause = Self.shortestPause * (1 << min(refusals, 6))
        refusals += 1
        due = now + min(pause, Self.longestPause)
    }

    /// Starts an attempt.
    mutating func begin(at now: Instant) {
        due = nil
        latest = now
    }

    /// Cancels the attempt: the state is correct.
    mutating func cancel() {
        due = nil
        refusals = 0
    }
}
