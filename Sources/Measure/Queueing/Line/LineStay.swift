import Facts
import Glibc

/// One stay in the line: the decoder finds it, and `OrderJudgement` judges it.
struct LineStay: Equatable, Sendable {
    var entered: EdgeDate
    var left: EdgeDate
    /// `abandoned`: the tag was in line and then faded without the till, or it left out of turn and had given up. `unknown`:
    /// nothing more was known of a tag in line.
    var end: Visit.End
    /// What the stay adds to the score of the best sequence without it, in log-odds.
    var gain: Double
    /// The log-odds that the stay is a visit, if the person was in no other line.
    var logOdds: Double
    /// The odds that the person was in another line at that time.
    var elsewhere = 0.0
    /// The log-odds that it was given up, if it left out of turn and was not served.
    var givingUp = -Double.infinity

    /// The dates at which the person may have joined, if there are several: `entered` is one of them. `JoiningOrder` chooses.
    var dates: [JoiningDate] = []

    /// The till at which it ended, among those of the queue; `nil` where no till ended it.
    var till: TillIndex?
    /// Whether the tag stayed at the till without its person. `LeftTags` dates the leaving.
    var isTagLeft = false

    /// The probability that the stay is a visit, if the person was in no other line.
    var probability: Double { Double(probabilityWithLogOdds: logOdds) }

    /// The odds of the same.
    var odds: Double { Double(oddsWithLogOdds: logOdds) }

    /// The log-odds that the stay is a visit of this line, against none and one of another line.
    var logOddsAmongLines: Double { logOdds - log1p(elsewhere) }

    /// The same as a probability.
    var probabilityAmongLines: Double { Double(probabilityWithLogOdds: logOddsAmongLines) }

    /// The decoder also proposes stays of passers-by.
    var isVisit: Bool { logOdds > 0 }

    /// Whether it is a visit of a person who was served, also without the order.
    var isCertain: Bool { end == .served && logOdds > Self.certainLogOdds }

    private static let certainLogOdds = 4.0

    /// Whether a person would have been in both at one time.
    func overlaps(_ other: LineStay) -> Bool {
        entered.second < other.left.second && other.entered.second < left.second
    }

    /// What decides between stays of one tag in two lines at the same time: first whether its own levels make it a visit, then
    /// its gain.
    struct Strength: Comparable {
        let isVisit: Bool
        let gain: Double

        /// Of a stay that has been judged to be a visit.
        static let judged = Strength(isVisit: true, gain: .infinity)

        static func < (left: Strength, right: Strength) -> Bool {
            left.isVisit == right.isVisit ? left.gain < right.gain : right.isVisit
        }
    }

    var strength: Strength { Strength(isVisit: isVisit, gain: gain) }

    /// The stay of a person in line when the knowledge ends; `nil` for one that may have been too short.
    func cut(at end: EdgeDate) -> LineStay? {
        guard end.earliest - entered.latest >= LineDecoder.shortest else { return nil }
        var stay = self
        stay.left = end
        stay.end = .unknown
        // Among several lines, the most probable one counts.
        stay.gain = logOdds
        return stay
    }

    /// The first date at which the person may have joined.
    var earliestEntered: UnixSecond { dates.reduce(entered.second) { min($0, $1.entered.second) } }

    /// The last date at which the person may have joined.
    var latestEntered: UnixSecond { dates.reduce(entered.second) { max($0, $1.entered.second) } }

    /// Takes another date of joining.
    mutating func choose(_ date: JoiningDate) {
        entered = date.entered
        gain = date.gain
        logOdds = date.logOdds
        givingUp = date.givingUp
    }

    /// Lets both dates follow a stretch without knowledge that goes on.
    mutating func widen(with unknown: Range<UnixSecond>) {
        entered.widen(with: unknown)
        for index in dates.indices { dates[index].entered.widen(with: unknown) }
        left.widen(with: unknown)
    }

    /// Whether a date may be in a stretch without knowledge: it ends at the end of the stretch.
    func reaches(_ unknown: Range<UnixSecond>) -> Bool {
        [entered, left].contains { $0.latest == unknown.upperBound }
    }

    /// From joining to leaving.
    var wait: Duration { left.second - entered.second }

    /// The order of time. Where it matters who comes first, the order of tags must not decide: it follows from the day's key.
    func precedes(_ other: LineStay) -> Bool {
        let dates = (left.second, entered.second)
        let others = (other.left.second, other.entered.second)
        return dates == others ? logOdds < other.logOdds : dates < others
    }
}

/// The second of a joining or leaving, and the seconds in which it may have been.
///
/// All three are equal unless a role did not hear around the edge.
package struct EdgeDate: Hashable, Sendable {
    package let second: UnixSecond
    package let earliest: UnixSecond
    package private(set) var latest: UnixSecond

    /// - Parameter unknown: stretches of seconds in which a role did not hear, the last one last.
    package init(_ second: UnixSecond, unknown: [Range<UnixSecond>] = []) {
        self.second = second
        let near = unknown.filter {
            $0.lowerBound - second <= Self.before && second - $0.upperBound <= Self.after
        }
        earliest = min(second, near.first?.lowerBound ?? second)
        latest = max(second, near.last?.upperBound ?? second)
    }

    /// A date between two others.
    init(_ second: UnixSecond, within range: ClosedRange<UnixSecond>) {
        self.second = second
        earliest = range.lowerBound
        latest = range.upperBound
    }

    /// Follows a stretch that has become longer by its last second, if the edge may be in it.
    mutating func widen(with unknown: Range<UnixSecond>) {
        let before = unknown.upperBound.advanced(by: -1)
        if latest == before, before > unknown.lowerBound { latest = unknown.upperBound }
    }

    /// Whether it is known to the second.
    var isExact: Bool { earliest == latest }

    /// The end of a stay that goes on.
    static let never = EdgeDate(.never)

    /// An edge so close to an unknown stretch may have been inside it. Behind the stretch, the levels still have to
    /// sink from their last known values. Chosen.
    private static let before = Duration.seconds(4)
    static let after = Duration.seconds(12)
}

extension Double {
    /// The probability with these log-odds.
    init(probabilityWithLogOdds logOdds: Double) { self = 1 / (1 + exp(-logOdds)) }

    /// The odds with these log-odds. Larger ones than a billion to one add nothing.
    init(oddsWithLogOdds logOdds: Double) { self = Swift.min(exp(logOdds), 1e9) }
}
