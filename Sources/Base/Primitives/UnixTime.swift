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

/// Date and time in UTC.
package struct UTCTime: Equatable {
    package let year: Int64
    package let month: Int64
    package let day: Int64
    /// Milliseconds of the day.
    package let milliseconds: Int64

    /// - Parameter instant: since the Unix epoch. Every value is valid.
    package init(_ instant: Instant) {
        let microseconds = instant.microseconds
        let perDay: Int64 = 86_400_000_000
        var days = microseconds / perDay
        var rest = microseconds % perDay
        if rest < 0 {
            rest += perDay
            days -= 1
        }
        milliseconds = rest / 1000
        // Counts days from 1 March in eras of 400 years (146,097 days): the leap day is the last of a year.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let leapDays = dayOfEra / 1460 - dayOfEra / 36524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    package init(_ time: UnixTime) { self.init(time.instant) }

    /// `2026-05-28`.
    package var date: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }

    /// `20:26:40.125`.
    package var time: String { "\(clock).\(padded(milliseconds % 1000, 3))" }

    /// `20:26:40`.
    package var clock: String {
        let seconds = milliseconds / 1000
        return
            "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
    }

    /// `2026-05-28T20:26:40.125Z`.
    package var stamp: String { "\(date)T\(time)Z" }

    private func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}

extension Duration {
    /// The two largest units: `0.3 s`, `12 s`, `3 min 20 s`, `2 h 5 min`; a negative duration is `0.0 s`.
    package var text: String {
        let microseconds = max(0, microseconds)
        if microseconds < 9_950_000 { return "\((Double(microseconds) / 1_000_000).tenths) s" }
        let seconds = microseconds / 1_000_000 + (microseconds % 1_000_000 >= 500_000 ? 1 : 0)
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
        if seconds < 86400 { return "\(seconds / 3600) h \(seconds / 60 % 60) min" }
        return "\(seconds / 86400) d \(seconds / 3600 % 24) h"
    }
}
