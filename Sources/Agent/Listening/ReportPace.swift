import Primitives

/// Whether reports come so fast that the loop should read several in one turn.
///
/// A radio with 2,000 reports a second then wakes the agent 250 times, at less than half the cost. A report's time is
/// late by `gathering` at most. A slower radio wakes the agent once for each report.
struct ReportPace {
    /// The time for which the loop leaves a fast radio alone, in microseconds.
    static let gathering: Int64 = 4_000

    private var latest = Instant(microseconds: .min / 2)
    private var pause: Int64 = .max

    /// Records an event with reports. Events of one read have the same time.
    @inline(__always)
    mutating func record(at now: Instant) {
        pause = now.microseconds(since: latest)
        latest = now
    }

    /// Whether an event of this moment followed the one before it within `gathering`.
    func isFast(at now: Instant) -> Bool { latest == now && pause < Self.gathering }
}
