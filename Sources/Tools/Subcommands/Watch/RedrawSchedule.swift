import Primitives

/// The times at which the table is redrawn.
///
/// A redraw follows the last of a group of messages, so that all gateways' rows are equally fresh. With continuous
/// messages, and without any, the table is redrawn once a second.
struct RedrawSchedule {
    /// The first and the last change since the last redraw.
    private var changes: ClosedRange<Instant>?
    private var lastRedraw: Instant?

    private static let pause = Duration.milliseconds(200)
    private static let interval = Duration.seconds(1)

    /// Notes a change that the table does not show yet.
    mutating func changed(at now: Instant) {
        let first = changes?.lowerBound ?? now
        changes = first...max(first, now)
    }

    mutating func drawn(at now: Instant) {
        changes = nil
        lastRedraw = now
    }

    /// The time of the next redraw; in the past before the first.
    var next: Instant {
        guard let lastRedraw else { return Instant(microseconds: 0) }
        guard let changes else { return lastRedraw + Self.interval }
        return min(changes.upperBound + Self.pause, changes.lowerBound + Self.interval)
    }

    /// Makes the next redraw due immediately.
    mutating func reset() { lastRedraw = nil }
}
