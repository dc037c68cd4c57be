import Primitives

/// When to notify the watchdog that the radio process works: twice in the watchdog's period (sd_watchdog_enabled(3)).
struct WatchdogTimer {
    private let interval: Duration
    /// When the next notification is due.
    private(set) var deadline: Instant

    /// - Parameter period: after this time without a notification, the watchdog restarts the service.
    init(period: Duration, at now: Instant) {
        interval = max(.microseconds(1), period / 2)
        deadline = now
    }

    /// Whether a notification is due. The next one is scheduled.
    mutating func isDue(at now: Instant) -> Bool {
        guard deadline <= now else { return false }
        deadline = now + interval
        return true
    }
}
