import Glibc

/// The judgement of one queue's stays by the order of its line.
///
/// People in a line reach the tills in the order in which they joined. A passer-by who stops beside the line does not
/// keep that order. A stay *overtakes* another one if it begins later and ends earlier. A person at one of `n` tills
/// overtakes at most those at the other `n − 1`. A stay is *out of turn* if it overtakes more. Let `o` be the
/// probability of that. It adds this to the log-odds that the stay is a visit:
///
///     o · log(P(out of turn | visit) / P(out of turn | no visit))
///
/// The first share is learnt from the certain visits of this queue: tills without a gateway keep less order. A stay is
/// judged as soon as all those have left who joined before it. A person who gives up overtakes as well: `GivingUpModel`
/// finds those among the stays that are no visits.
struct LineOrder: Equatable {
    /// A stay that the decoder proposes.
    struct Proposal: Equatable, Sendable {
        let tag: Tag
        var stay: LineStay
    }

    /// In their order. The judged ones are kept, since a stay that becomes final later may overtake them.
    private var waiting: [Proposal] = []
    private var judged: [Proposal] = []
    /// Those who may be at the other tills.
    private let othersAtTills: Double
    /// Certain visits, and how many of them were out of turn; both begin with the prior.
    private var certain = Self.priorVisits
    private var outOfTurn = Self.priorVisits * Self.passersBy * exp(VisitModel.fitted.overtaking)

    /// The share of proposed stays of passers-by that are out of turn: 0.44 to 0.72 in the worlds of the fit.
    private static let passersBy = 0.6
    private static let priorVisits = 50.0
    /// Visits with such log-odds are certain without the order.
    private static let certainLogOdds = 3.0
    /// Dates must differ by so much: they are that exact.
    private static let tolerance = Duration.seconds(2)
    /// In a queue with less order, no departure counts as out of turn.
    private static let orderly = -2.0
    /// A person who is near for so long after a stay was not before it in the line.
    static let longest = Duration.seconds(600)
    /// The oldest stays beyond this number are judged without a delay: it bounds the state.
    private static let mostWaiting = 500

    init(tills: Int) { othersAtTills = Double(tills - 1) }

    /// The log-odds that a stay out of turn is a visit, beside all others.
    private var weight: Double { min(0, log(outOfTurn / certain / Self.passersBy)) }

    /// When the first stay began that is not judged.
    var undecidedSince: UnixSecond? { waiting.lazy.map(\.stay.entered.second).min() }

    var isWaiting: Bool { !waiting.isEmpty }

    mutating func add(_ stay: LineStay, of tag: Tag) {
        let later = waiting.firstIndex { stay.precedes($0.stay) }
        waiting.insert(Proposal(tag: tag, stay: stay), at: later ?? waiting.endIndex)
    }

    /// Judges the stays of which it is known whom they overtake.
    ///
    /// - Parameters:
    ///   - second: the last that the decoder has scored; `nil` ends the day.
    ///   - first: when the first of those joined who may still be in line.
    /// - Returns: the visits.
    mutating func judge(at second: UnixSecond?, stillInSince first: UnixSecond?) -> [Proposal] {
        let isReady = { (stay: LineStay) -> Bool in
            guard let second, let first else { return true }
            return first > stay.entered.second - Self.tolerance
                || second - stay.left.second >= Self.longest
        }
        let early = max(0, waiting.count - Self.mostWaiting)
        let ready = waiting.enumerated().filter { $0.offset < early || isReady($0.element.stay) }
        guard !ready.isEmpty else { return [] }
        let known = judged + waiting
        let visits = ready.compactMap { judge($0.element, among: known) }
        let indices = Set(ready.map(\.offset))
        judged += ready.map(\.element)
        waiting = waiting.enumerated().filter { !indices.contains($0.offset) }.map(\.element)
        let oldest = (second ?? .never) - Self.longest * 2
        judged.removeAll { $0.stay.left.second < oldest }
        return visits
    }

    /// The visits among stays that are not final, by present knowledge.
    ///
    /// - Parameter inLine: stays that go on, each with its log-odds.
    func provisional(_ stays: [Proposal], inLine: [Proposal]) -> [Proposal] {
        let stays = (waiting + stays).sorted { $0.stay.precedes($1.stay) }
        let known = judged + stays + inLine
        var copy = self
        return stays.compactMap { copy.judge($0, among: known) }
    }

    private mutating func judge(_ proposal: Proposal, among others: [Proposal]) -> Proposal? {
        guard proposal.stay.end == .served else { return proposal }
        let isOutOfTurn = probability(proposal, among: others)
        if proposal.stay.logOdds > Self.certainLogOdds {
            certain += 1
            outOfTurn += isOutOfTurn
        }
        var result = proposal
        result.stay.logOdds += isOutOfTurn * weight
        if result.stay.isVisit { return result }
        guard isOutOfTurn > 0.5, weight < Self.orderly, proposal.stay.givingUp > 0
        else { return nil }
        result.stay.end = .abandoned
        result.stay.logOdds = proposal.stay.givingUp
        result.stay.till = nil
        return result
    }

    /// The probability that the stay is out of turn: the expected number of visits that it overtakes, beyond those who
    /// may be at the other tills, 1 at most.
    private func probability(_ proposal: Proposal, among others: [Proposal]) -> Double {
        let before = proposal.stay.entered.second - Self.tolerance
        let after = proposal.stay.left.second + Self.tolerance
        let overtaken = others.lazy.filter {
            $0.tag != proposal.tag && $0.stay.entered.second <= before
                && $0.stay.left.second >= after
        }
        let number = overtaken.reduce(0) { $0 + 1 / (1 + exp(-$1.stay.logOdds)) }
        return min(1, max(0, number - othersAtTills))
    }
}
