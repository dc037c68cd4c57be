import Primitives

/// Whether reports come so fast that the loop should read several in one turn.
///
/// A wake-up costs more than a report. A slow radio wakes the agent once for each report.
struct ReportPace {
    // Integers: a `Duration` has 128 bits, and these are compared at each wake-up.

    /// The time for which the loop leaves a fast radio alone. The kernel dates the reports.
    static let gatheringMilliseconds: Int64 = 50
    /// The same for reports without the kernel's times: their times are late by this at most.
    static let undatedGatheringMilliseconds: Int64 = 20

    private var latest = Instant(microseconds: .min / 2)
    private var pause: Int64 = .max

    /// Records the reading of an event with reports. Events of one read have the same time.
    @inline(__always)
    mutating func record(at now: Instant) {
        pause = now.microseconds(since: latest)
        latest = now
    }

    /// Until when the loop leaves the radio alone; `nil` if no event of this moment followed the one before it that soon.
    func gathering(at now: Instant, isDated: Bool) -> Instant? {
        let time = isDated ? Self.gatheringMilliseconds : Self.undatedGatheringMilliseconds
        return latest == now && pause < time * 1000 ? now.advanced(byMilliseconds: time) : nil
    }
}
