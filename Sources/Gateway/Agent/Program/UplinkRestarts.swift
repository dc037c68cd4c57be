import Posix
import Primitives

/// Decides when a new uplink follows one that ended, and what to log.
struct UplinkRestarts {
    /// The shortest and the longest wait.
    private static let waits: ClosedRange<Duration> = .seconds(1) ... .seconds(60)

    private var wait = Self.waits.lowerBound
    private var began: Instant?
    /// The cause in the log; `nil` after an uplink that lasted.
    private var logged: String?

    mutating func began(at now: Instant) { began = now }

    /// The uplink has delivered something.
    mutating func delivered() { wait = Self.waits.lowerBound }

    /// An uplink ended.
    ///
    /// - Returns: the wait until the next one, and whether to log the cause.
    mutating func ended(_ cause: String, at now: Instant) -> (wait: Duration, isNew: Bool) {
        // It lasted: the cause was gone, and may have come again.
        if let began, now - began > Self.waits.upperBound { logged = nil }
        defer {
            wait = min(wait * 2, Self.waits.upperBound)
            logged = cause
        }
        return (wait, cause != logged)
    }
}
