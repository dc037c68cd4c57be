/// A moment on the clock of the source: CLOCK_BOOTTIME for a radio, the capture's own timestamps for a replay.
package struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since that clock's zero.
    package let microseconds: Int64

    @inline(__always)
    package init(microseconds: Int64) { self.microseconds = microseconds }

    @inline(__always)
    package static func < (left: Instant, right: Instant) -> Bool {
        left.microseconds < right.microseconds
    }

    package func advanced(byMicroseconds microseconds: Int64) -> Instant {
        Instant(microseconds: self.microseconds + microseconds)
    }

    package func advanced(byMilliseconds milliseconds: Int64) -> Instant {
        advanced(byMicroseconds: milliseconds * 1000)
    }

    /// Microseconds from `earlier` to this moment.
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
