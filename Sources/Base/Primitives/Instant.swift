/// A point in time on the clock of a source: CLOCK_BOOTTIME for a radio, a capture's own timestamps for a replay.
///
/// The resolution is one microsecond. Arithmetic saturates at the ends of the range. Messages, tables and documents have
/// `UnixTime`.
@usableFromInline
package struct Instant: InstantProtocol, BitwiseCopyable, Sendable {
    /// Microseconds since that clock's zero.
    @usableFromInline package let microseconds: Int64

    @inlinable @inline(__always)
    package init(microseconds: Int64) { self.microseconds = microseconds }

    @inlinable @inline(__always)
    package static func < (left: Instant, right: Instant) -> Bool {
        left.microseconds < right.microseconds
    }

    @inlinable @inline(__always)
    package func advanced(byMicroseconds microseconds: Int64) -> Instant {
        Instant(microseconds: self.microseconds + microseconds)
    }

    @inlinable @inline(__always)
    package func advanced(byMilliseconds milliseconds: Int64) -> Instant {
        advanced(byMicroseconds: milliseconds * 1000)
    }

    /// Microseconds from `earlier` to this moment.
    @inlinable @inline(__always)
    package func microseconds(since earlier: Instant) -> Int64 {
        microseconds - earlier.microseconds
    }

    /// Whole milliseconds since that clock's zero, rounded down.
    @inlinable @inline(__always)
    package var milliseconds: Int64 {
        let quotient = microseconds / 1000
        return microseconds < quotient * 1000 ? quotient - 1 : quotient
    }

    @usableFromInline
    package func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = microseconds.addingReportingOverflow(duration.microseconds)
        guard overflow else { return Instant(microseconds: sum) }
        return Instant(microseconds: duration < .zero ? .min : .max)
    }

    @usableFromInline
    package func duration(to other: Instant) -> Duration {
        .microseconds(other.microseconds) - .microseconds(microseconds)
    }
}

extension Instant {
    /// The earlier of two deadlines; `nil` is never. An array would cost an allocation at each wake-up of a loop.
    package static func earliest(_ one: Instant?, _ other: Instant?) -> Instant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    package static func + (instant: Instant, duration: Duration) -> Instant {
        instant.advanced(by: duration)
    }

    package static func - (instant: Instant, duration: Duration) -> Instant {
        instant.advanced(by: .zero - duration)
    }

    /// The time from `earlier` to `later`; negative if `earlier` is later.
    package static func - (later: Instant, earlier: Instant) -> Duration {
        earlier.duration(to: later)
    }
}

extension Duration {
    /// Whole microseconds, rounded towards zero; clamped to the range of `Int64`.
    package var microseconds: Int64 { whole(1_000_000) }

    /// Whole milliseconds, rounded towards zero; clamped to the range of `Int64`.
    package var milliseconds: Int64 { whole(1000) }

    /// Whole seconds, rounded towards zero.
    package var wholeSeconds: Int64 { components.seconds }

    /// Inlined, so that the divisor is a constant.
    ///
    /// - Parameter parts: of a second.
    @inline(__always)
    private func whole(_ parts: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: parts)
        let (sum, overflowOfSum) = product.addingReportingOverflow(
            attoseconds / (1_000_000_000_000_000_000 / parts))
        guard overflow || overflowOfSum else { return sum }
        return seconds < 0 ? .min : .max
    }
}

/// A half-open stretch of time: it contains `start`, but not `end`.
package struct Interval: Hashable, Sendable {
    package var start: Instant
    package var end: Instant

    package init(start: Instant, end: Instant) {
        self.start = start
        self.end = end
    }

    /// Its length in microseconds.
    package var microseconds: Int64 { end.microseconds(since: start) }

    package var duration: Duration { end - start }
}
