import Facts
import Queueing

/// When a silent beacon has left: after a fixed time, or once so long a silence is rarer than the operator accepts.
package enum ExitRule: Hashable, Sendable {
    case fixed(Duration)
    /// The false exits that are accepted, a day of one beacon.
    case learnt(falseExitsPerDay: Double)

    /// The false exits of a region without a setting.
    package static let usual = ExitRule.learnt(falseExitsPerDay: 0.3)

    package init(_ region: RegionLayout) {
        if let exit = region.exit {
            self = .fixed(exit)
        } else {
            self = region.falseExits.map { .learnt(falseExitsPerDay: $0) } ?? .usual
        }
    }

    /// The longest deadline: a beacon that is seldom heard leaves after it in any case.
    package static let longest = Duration.seconds(120)
    /// The shortest learnt deadline.
    static let shortest = Duration.seconds(3)

    /// The longest time from the last report to the exit.
    var longest: Duration { if case .fixed(let time) = self { time } else { Self.longest } }
}

/// The silence after which a beacon has left a gateway, and what it follows from.
package struct ExitDeadline: Equatable, Sendable {
    package let silence: Duration
    /// Reports a second.
    package let rate: Double
    /// The expected number of silences of this length in a day of presence.
    package let falsePerDay: Double

    /// The mean time between two reports, in seconds.
    var meanGap: Double { rate > 0 ? 1 / rate : 0 }
}
