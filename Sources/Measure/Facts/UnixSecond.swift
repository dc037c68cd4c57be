import Primitives

/// One second of the grid on which facts are counted: the whole second that begins at `start`.
///
/// All gateways share the grid. A state, a level and a score are of one second. A range of seconds ends before its upper
/// bound. A stay does so as well: from joining in the second 10 to leaving in the second 70, it has 60 s.
///
/// A length of time is a `Duration`. A number of places on the grid, as in a ring of samples, is an `Int`.
package struct UnixSecond: Hashable, BitwiseCopyable, Sendable {
    /// Seconds since the epoch.
    private let number: Int64

    package init(_ number: Int64) { self.number = number }

    /// The second in which a time lies, from the epoch on.
    package init(containing time: UnixTime) { number = time.milliseconds / 1000 }

    /// The first second that does not begin before a time, from the epoch on.
    package init(notBefore time: UnixTime) {
        let second = UnixSecond(containing: time)
        self = second.start < time ? second.next : second
    }

    /// Behind all seconds.
    package static let never = UnixSecond(containing: .max)

    package var start: UnixTime {
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: 1000)
        return overflow ? .max : UnixTime(milliseconds: milliseconds)
    }
    /// The milliseconds of this second.
    package var span: Range<UnixTime> { start..<next.start }
    package var next: UnixSecond { UnixSecond(number + 1) }
    /// Days since the epoch.
    package var day: Int64 { number / 86_400 }

    /// The last second that is a multiple of `step` since the epoch, and is not after this one.
    package func floored(to step: Duration) -> UnixSecond {
        UnixSecond(number - number % max(1, step.wholeSeconds))
    }

    package func isMultiple(of step: Duration) -> Bool {
        number.isMultiple(of: step.wholeSeconds)
    }
}

extension UnixSecond: Strideable {
    package static func < (left: UnixSecond, right: UnixSecond) -> Bool {
        left.number < right.number
    }

    package func distance(to other: UnixSecond) -> Int { Int(other.number - number) }

    package func advanced(by places: Int) -> UnixSecond { UnixSecond(number + Int64(places)) }

    /// The time from `earlier` to `later`; negative if `earlier` is later.
    package static func - (later: UnixSecond, earlier: UnixSecond) -> Duration {
        .seconds(later.number - earlier.number)
    }

    package static func + (second: UnixSecond, duration: Duration) -> UnixSecond {
        UnixSecond(second.number + duration.wholeSeconds)
    }

    package static func - (second: UnixSecond, duration: Duration) -> UnixSecond {
        UnixSecond(second.number - duration.wholeSeconds)
    }
}

/// A literal has seconds since the epoch.
extension UnixSecond: ExpressibleByIntegerLiteral {
    package init(integerLiteral seconds: Int64) { self.init(seconds) }
}

extension Range<UnixSecond> {
    package var duration: Duration { upperBound - lowerBound }
    /// The milliseconds of these seconds.
    package var span: Range<UnixTime> { lowerBound.start..<upperBound.start }
}

extension Duration {
    /// For equations: seconds with their fraction.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
