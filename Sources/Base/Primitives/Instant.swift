/// A moment on the clock of the source: CLOCK_BOOTTIME for a radio, the capture's own timestamps for a replay.
@usableFromInline
package struct Instant: Hashable, Comparable, Sendable {
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
}

/// A half-open stretch of time: `start` belongs to it, `end` to the next.
package struct Interval: Hashable, Sendable {
    package var start: Instant
    package var end: Instant

    package init(start: Instant, end: Instant) {
        self.start = start
        self.end = end
    }

    /// Its length in microseconds.
    package var microseconds: Int64 { end.microseconds(since: start) }
}
