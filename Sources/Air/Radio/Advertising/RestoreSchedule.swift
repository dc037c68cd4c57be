import Primitives

/// When to restore a state that another program has changed: at most once a second, and ever more rarely while the
/// controller refuses it.
struct RestoreSchedule {
    /// The time without another change before an attempt. Changes without pause delay it by a second.
    private let quiet: Duration
    /// The pause after the first refusal. Each further refusal doubles it.
    private let firstPause: Duration

    /// The shortest time between two attempts: two programs must not overwrite each other without pause.
    static let shortestPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(60)

    private(set) var due: Instant?
    private var latest: Instant?
    /// The first change since the latest attempt.
    private var since: Instant?
    /// Refusals since the last success.
    private var refusals = 0

    init(quiet: Duration = .zero, firstPause: Duration = shortestPause) {
        self.quiet = quiet
        self.firstPause = firstPause
    }

    /// Schedules an attempt: another program has interfered.
    mutating func schedule(at now: Instant) {
        let first = since ?? now
        since = first
        let quietEnds = min(now + quiet, first + Self.shortestPause)
        due = max(quietEnds, latest.map { $0 + Self.shortestPause } ?? now)
    }

    /// Schedules an attempt after pauses that grow to a minute: the controller has refused the last one.
    mutating func postpone(at now: Instant) {
        let pause = firstPause * (1 << min(refusals, 9))
        refusals += 1
        due = now + min(pause, Self.longestPause)
    }

    /// Starts an attempt.
    mutating func begin(at now: Instant) {
        (due, since) = (nil, nil)
        latest = now
    }

    /// Cancels the attempt: the state is correct.
    mutating func cancel() {
        (due, since) = (nil, nil)
        refusals = 0
    }
}
