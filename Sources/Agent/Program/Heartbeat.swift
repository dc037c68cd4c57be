import Primitives

/// When a watchdog is to hear of the radio thread: twice in the time that it waits (sd_watchdog_enabled(3)).
struct Heartbeat {
    private let interval: Int64
    /// When the next sign of life is due.
    private(set) var deadline: Instant

    /// - Parameter patience: how long the watchdog waits, in microseconds.
    init(patience: Int64, at now: Instant) {
        interval = max(1, patience / 2)
        deadline = now
    }

    /// Whether a sign of life is due, which is then taken as given.
    mutating func isDue(at now: Instant) -> Bool {
        guard deadline <= now else { return false }
        deadline = now.advanced(byMicroseconds: interval)
        return true
    }
}
