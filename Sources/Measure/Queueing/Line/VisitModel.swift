import Facts
import Glibc

/// The log-odds that a stay is a visit: a logistic regression on everything that is known of the stay.
///
/// The decoder compares edges second by second. It proposes stays, and some of them are passers-by who stop near the
/// line. A stay as a whole shows more: its length, and its mean levels. The log-odds are a sum of a part for each
/// edge, the mean of a part for each second between them, and parts for the length and the gain. The state is constant.
/// `OrderJudgement` adds the part of the other stays.
struct VisitModel {
    let joining: LineModel.Edge
    let leaving: LineModel.Edge
    /// Of the mean levels between the edges.
    let staying: Weights
    /// Of the mean of `I`.
    let stay: Double
    /// Of the logarithm of the length in seconds, and of the logarithm's square.
    let length: Double
    let lengthSquare: Double
    let gain: Double

    /// Nats, chosen on the bench: above 0, recall gains, and precision loses.
    static let inclination = -0.7

    /// The part of a second in line.
    func staying(_ sample: LevelHistory.Sample, stay: Double) -> Double {
        staying.entry * sample.entry + staying.till * sample.till
            + staying.loudest * sample.loudest + self.stay * stay
    }

    func logOdds(
        _ evidence: StayEvidence, leaving: Double, wait: Duration, gain: Double
    ) -> Double {
        let length = log(max(.seconds(1), wait).inSeconds)
        return evidence.joining + evidence.meanStaying + leaving
            + length * (self.length + length * lengthSquare) + self.gain * gain
            + Self.inclination
    }
}

/// The parts that one second has in the log-odds of a stay: if it joins, leaves, or goes on.
struct VisitScores: Equatable {
    var joining = 0.0
    var leaving = 0.0
    var staying = 0.0
    /// The same for `GivingUpModel`.
    var joiningToGiveUp = 0.0
    var givingUp = 0.0
}

/// What the seconds of a stay say of it until now.
struct StayEvidence: Equatable {
    let joining: Double
    private let joiningToGiveUp: Double
    private var staying = 0.0
    private var seconds = 0.0

    /// - Parameter first: of the second of joining.
    init(_ first: VisitScores) {
        joining = first.joining
        joiningToGiveUp = first.joiningToGiveUp
    }

    mutating func add(_ staying: Double) {
        self.staying += staying
        seconds += 1
    }

    /// The log-odds of `GivingUpModel` if the stay ends in a second with these scores.
    func givingUp(_ last: VisitScores) -> Double {
        GivingUpModel.fitted.constant + joiningToGiveUp + last.givingUp
    }

    var meanStaying: Double { seconds > 0 ? staying / seconds : 0 }
}

/// The log-odds that a stay was given up, if it left the line out of turn and was not served.
///
/// A passer-by who stops beside the line leaves out of turn too. A person who gives up has joined: the entry is loud, and
/// the till is faint before. The levels are means over the seconds −12…−2, −1…1 and 2…12 around each edge.
struct GivingUpModel {
    /// Weights of the mean levels before, at and after an edge.
    struct Edge {
        let before: LineEnds
        let at: LineEnds
        let after: LineEnds
    }

    /// Seconds before and after the edge that are at it.
    static let reach = 1

    let constant: Double
    let joining: Edge
    let leaving: Edge
}
