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
