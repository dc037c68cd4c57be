import Primitives

/// Whether the wall time was disciplined when something was stamped with it.
package enum ClockState: String, CaseIterable, Sendable {
    case synced
    case unsynced
}

/// What turns a source's instants into wall time.
package struct Stamp: Equatable, Sendable {
    /// Microseconds that an instant lacks to UTC.
    package let offset: Int64
    package let clock: ClockState

    package init(offset: Int64, clock: ClockState) {
        self.offset = offset
        self.clock = clock
    }

    /// Milliseconds since the Unix epoch, rounded down.
    @inline(__always)
    package func milliseconds(of instant: Instant) -> Int64 {
        // A capture can claim any time: what overflows is wrong, but no reason to stop.
        let microseconds = instant.microseconds &+ offset
        let quotient = microseconds / 1000
        return microseconds < quotient * 1000 ? quotient - 1 : quotient
    }
}
