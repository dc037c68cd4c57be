/// When a table is to be drawn again, in microseconds since boot.
///
/// Soon after the last of the messages that come together: then all gateways' rows look equally fresh. Where they
/// come without a pause, and where none come, once a second.
struct RedrawSchedule {
    /// The first and the last change that the table does not show yet.
    private var changes: ClosedRange<Int64>?
    private var lastRedraw: Int64 = 0

    private static let pause: Int64 = 200_000
    private static let interval: Int64 = 1_000_000

    /// Something happened that the table should show.
    mutating func changed(at now: Int64) {
        let first = changes?.lowerBound ?? now
        changes = first...max(first, now)
    }

    /// The table shows all that happened.
    mutating func drawn(at now: Int64) {
        changes = nil
        lastRedraw = now
    }

    /// The next moment to draw; zero before the first.
    var next: Int64 {
        guard lastRedraw > 0, let changes else {
            return lastRedraw > 0 ? lastRedraw + Self.interval : 0
        }
        return min(changes.upperBound + Self.pause, changes.lowerBound + Self.interval)
    }

    /// What is on the screen is worth nothing any more.
    mutating func demand() { lastRedraw = 0 }
}
