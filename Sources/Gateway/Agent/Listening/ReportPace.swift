import Primitives

/// Whether reports come so fast that the loop should read several in one turn.
///
/// A wake-up costs more than a report. A slow radio wakes the agent once for each report.
struct ReportPace {
    // Integers: a `Duration` has 128 bits, and these are compared at each wake-up.

    /// The longest time for which the loop leaves a fast radio alone. Reports that the kernel does not date are late by this
    /// at most.
    static let longestGathering: Int64 = 50_000
    /// The approximate number of reports that are left in the kernel. A Unix socket holds 278 writes.
    static let mostGathered: Int64 = 100

    private var latest = Instant(microseconds: .min / 2)
    private var pause: Int64 = .max
    private var count: Int64 = 1

    /// Records the reading of an event with reports. Events of one read have the same time.
    @inline(__always)
    mutating func record(at now: Instant) {
        if now == latest {
            count += 1
        } else {
            pause = now.microseconds(since: latest)
            latest = now
            count = 1
        }
    }

    /// Until when the loop leaves the radio alone; `nil` if this moment has no report, or reports come too slowly.
    func gathering(at now: Instant) -> Instant? {
        guard latest == now else { return nil }
        let interval = pause / count
        guard interval <= Self.longestGathering else { return nil }
        return now.advanced(
            byMicroseconds: min(interval * Self.mostGathered, Self.longestGathering))
    }
}

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
