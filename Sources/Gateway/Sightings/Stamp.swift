import Primitives

/// Whether the wall time was disciplined when something was stamped with it.
package enum ClockState: String, CaseIterable, Sendable {
    case synced
    case unsynced
}

/// Converts a source's instants to wall time and back.
///
/// A capture can claim any time: an overflow makes the time wrong, and the program continues.
package struct Stamp: Equatable, Sendable {
    /// Four conversions a sighting: a `Duration` would have to be divided for each.
    private let microseconds: Int64
    package let clock: ClockState

    /// - Parameter offset: what an instant lacks to UTC.
    package init(offset: Duration, clock: ClockState) {
        microseconds = offset.microseconds
        self.clock = clock
    }

    /// The difference from an instant to UTC.
    package var offset: Duration { .microseconds(microseconds) }

    @inline(__always)
    package func wall(of instant: Instant) -> Instant {
        Instant(microseconds: instant.microseconds &+ microseconds)
    }

    @inline(__always)
    package func instant(of wall: Instant) -> Instant {
        Instant(microseconds: wall.microseconds &- microseconds)
    }

    /// Milliseconds since the Unix epoch, rounded down.
    @inline(__always)
    package func milliseconds(of instant: Instant) -> Int64 { wall(of: instant).milliseconds }

    /// Milliseconds since the Unix epoch, rounded to the nearest.
    @inline(__always)
    package func nearestMilliseconds(of instant: Instant) -> Int64 {
        Instant(microseconds: wall(of: instant).microseconds &+ 500).milliseconds
    }
}
