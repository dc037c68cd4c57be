/// A time of a wall clock in whole milliseconds since the Unix epoch: the time of messages, tables and documents.
///
/// It labels data. A wall clock can step, so `Instant` orders and measures. Arithmetic saturates at the ends of the range.
/// Other rooms inline what the estimator calls for each reading.
@usableFromInline
package struct UnixTime: Hashable, BitwiseCopyable, Sendable {
    @usableFromInline package let milliseconds: Int64

    @inlinable @inline(__always)
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// - Parameter second: seconds since the epoch.
    package init(second: Int64) {
        self = UnixTime(milliseconds: 0) + .seconds(second)
    }

    /// - Parameter wall: a reading of a wall clock.
    package init(_ wall: Instant) { milliseconds = wall.milliseconds }

    /// The same time for arithmetic with readings of clocks.
    package var instant: Instant {
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        guard overflow else { return Instant(microseconds: microseconds) }
        return Instant(microseconds: milliseconds < 0 ? .min : .max)
    }

    package static let min = UnixTime(milliseconds: .min)
    package static let max = UnixTime(milliseconds: .max)
    /// 9999-12-31T23:59:59.999Z.
    package static let endOf9999 = UnixTime(milliseconds: 253_402_300_799_999)
}

extension UnixTime: Comparable {
    @inlinable @inline(__always)
    package static func < (left: UnixTime, right: UnixTime) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package static func + (time: UnixTime, duration: Duration) -> UnixTime {
        let change = duration.milliseconds
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(change)
        return overflow ? (change < 0 ? .min : .max) : UnixTime(milliseconds: sum)
    }

    package static func - (time: UnixTime, duration: Duration) -> UnixTime {
        time + (.zero - duration)
    }

    /// The time from `earlier` to `later`; negative if `earlier` is later.
    package static func - (later: UnixTime, earlier: UnixTime) -> Duration {
        .milliseconds(later.milliseconds) - .milliseconds(earlier.milliseconds)
    }
}

extension UnixTime {
    /// This time, rounded down to `origin` plus a multiple of `step`; for times from `origin` on.
    package func floored(to step: Duration, from origin: UnixTime) -> UnixTime {
        self - .milliseconds((self - origin).milliseconds % Swift.max(1, step.milliseconds))
    }
}

/// A literal has milliseconds since the epoch.
extension UnixTime: ExpressibleByIntegerLiteral {
    @usableFromInline
    package init(integerLiteral milliseconds: Int64) { self.init(milliseconds: milliseconds) }
}
