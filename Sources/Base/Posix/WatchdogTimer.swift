import Primitives

/// When to notify the watchdog that the program works: twice in the watchdog's period (sd_watchdog_enabled(3)).
package struct WatchdogTimer {
    private let interval: Duration
    /// When the next notification is due.
    package private(set) var deadline: Instant

    /// - Parameter period: after this time without a notification, the watchdog restarts the service.
    package init(period: Duration, at now: Instant) {
        interval = max(.microseconds(1), period / 2)
        deadline = now
    }

    /// Whether a notification is due. The next one is scheduled.
    package mutating func isDue(at now: Instant) -> Bool {
        guard deadline <= now else { return false }
        deadline = now + interval
        return true
    }
}
