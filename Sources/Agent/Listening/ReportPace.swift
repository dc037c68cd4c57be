import Primitives

/// Whether reports come so fast that the loop should read several in one turn.
///
/// A wake-up costs more than a report. A slow radio wakes the agent once for each report.
struct ReportPace {
    /// The time for which the loop leaves a fast radio alone. The kernel dates the reports.
    static let gathering: Duration = .milliseconds(20)
    /// The same for reports without the kernel's times: their times are late by this at most.
    static let undatedGathering: Duration = .milliseconds(4)

    private var latest = Instant(microseconds: .min / 2)
    private var pause: Int64 = .max

    /// Records the reading of an event with reports. Events of one read have the same time.
    @inline(__always)
    mutating func record(at now: Instant) {
        pause = now.microseconds(since: latest)
        latest = now
    }

    /// How long the loop leaves the radio alone; `nil` if no event of this moment followed the one before it that soon.
    func gathering(at now: Instant, isDated: Bool) -> Duration? {
        let gathering = isDated ? Self.gathering : Self.undatedGathering
        return latest == now && pause < gathering.microseconds ? gathering : nil
    }
}
