import Glibc

/// The log-odds that a stay is a visit: a logistic regression on everything that is known of the stay.
///
/// The decoder compares edges second by second. It proposes stays, and some of them are passers-by who stop near the
/// line. A stay as a whole shows more: its length, and its mean levels. The log-odds are a sum of a part for each
/// edge, the mean of a part for each second between them, and parts for the length and the gain. The state is constant.
/// `LineOrder` adds the part of the other stays.
struct VisitModel {
    let joining: LineModel.Edge
    let leaving: LineModel.Edge
    /// Weights of the level at the entry, at the till and at the louder gateway, and of `I`.
    let staying: [Double]
    /// Weights of the logarithm of the length in seconds, and of its square.
    let length: [Double]
    let gain: Double
    /// The weight of overtaking another stay, in a queue with one till (`LineOrder`).
    let overtaking: Double

    /// The part of a second in line.
    func staying(_ sample: LevelHistory.Sample, stay: Double) -> Double {
        staying[0] * sample.entry + staying[1] * sample.till + staying[2] * sample.louder
            + staying[3] * stay
    }

    func logOdds(
        _ evidence: StayEvidence, leaving: Double, wait: Duration, gain: Double
    ) -> Double {
        let length = log(max(.seconds(1), wait).inSeconds)
        return evidence.joining + evidence.meanStaying + leaving
            + length * (self.length[0] + length * self.length[1]) + self.gain * gain
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

extension VisitModel {
    /// The source of the fit: `Tests/QueueBench/fit` on 2026-11-23, logistic regression on the stays that the decoder proposes
    /// in 45 hours. The virtual radio: 5/8/1/30 (seeds 403, 404 and 501), 5/6/5/10 (402), 10/6/5/10 and 3/6/5/10 (501).
    /// `Tests/QueueBench/simulate`: 5/8/1/30 (314) and 5/6/5/10 (311), in which each stay counts as a half. The same with
    /// `--shop 0.5`: 5/8/1/30 (324), 5/6/5/10 (321) and 10/8/1/30 (326), in which each stay counts as a tenth. The constant
    /// has 0.4 more than the fit: that regains the recall of 5/8/1/30. The own level of the fit left out all of an absence.
    static let fitted = VisitModel(
        joining: LineModel.Edge(
            constant: -6.196,
            entry: [
                0.0266, 0.0280, -0.0042, 0.0176, 0.0528, 0.0203, -0.0053, -0.0004, 0.0091,
            ],
            till: [
                -0.0901, -0.0277, -0.0230, -0.0323, -0.0806, 0.0079, 0.0050, 0.0005, -0.0045,
            ],
            ownEntry: 0.0083, ownTill: -0.1045),
        leaving: LineModel.Edge(
            constant: 0,
            entry: [
                -0.0208, -0.0023, 0.0014, 0.0013, -0.0049, -0.0166, -0.0185, -0.0240, -0.0066,
            ],
            till: [
                0.0217, 0.0239, 0.0155, 0.0230, 0.0439, 0.0091, -0.0391, 0.0069, 0.0037,
            ],
            ownEntry: 0.0281, ownTill: 0.1042),
        staying: [-0.0016, 0.0408, 0.0096, 4.8531], length: [0.4146, 0.0417], gain: 0.0431,
        overtaking: -2.1737)
}
