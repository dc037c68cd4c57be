import Primitives

/// Notices that the radio process did not run: the system stopped, froze, swapped or suspended it.
///
/// The loop runs at the end of each window, and at least once in `longestWait`.
package struct StallDetector: Sendable {
    package static let longestWait: Duration = .seconds(1)
    /// A loop that wakes later than this was stalled.
    package static let tolerance: Duration = .milliseconds(500)

    private(set) var latestRun: Instant?

    package init() {}

    /// When the loop must run.
    package var deadline: Instant? { latestRun.map { $0 + Self.longestWait } }

    package mutating func ran(at now: Instant) { latestRun = now }

    /// The latest run before a stall; `nil` if the loop runs in time.
    ///
    /// - Parameter windowEnd: the end of the open window.
    package func stall(at now: Instant, windowEnd: Instant) -> Instant? {
        guard let latestRun, let deadline else { return nil }
        return min(deadline, windowEnd) + Self.tolerance < now ? latestRun : nil
    }
}
