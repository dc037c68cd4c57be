import Glibc

/// The log-odds that a stay is a visit: a logistic regression on everything that is known of the stay.
///
/// The decoder compares edges second by second. It proposes stays, and some of them are passers-by who stop near the
/// line. A stay as a whole shows more: its length, and its mean levels. The log-odds are a sum of a part for each
/// edge, the mean of a part for each second between them, and parts for the length and the gain. The state is constant.
struct VisitModel {
    let joining: LineModel.Edge
    let leaving: LineModel.Edge
    /// Weights of the level at the entry, at the till and at the louder gateway, and of `I`.
    let staying: [Double]
    /// Weights of the logarithm of the length in seconds, and of its square.
    let length: [Double]
    let gain: Double

    /// The part of a second in line.
    func staying(_ sample: LevelHistory.Sample, stay: Double) -> Double {
        staying[0] * sample.entry + staying[1] * sample.till + staying[2] * sample.louder
            + staying[3] * stay
    }

    func logOdds(
        _ evidence: StayEvidence, leaving: Double, seconds: Int64, gain: Double
    ) -> Double {
        let length = log(Double(max(1, seconds)))
        return evidence.joining + evidence.meanStaying + leaving
            + length * (self.length[0] + length * self.length[1]) + self.gain * gain
    }
}

/// The parts that one second has in the log-odds of a stay: if it joins, leaves, or goes on.
struct VisitScores: Equatable {
    var joining = 0.0
    var leaving = 0.0
    var staying = 0.0
}

/// What the seconds of a stay say of it until now.
struct StayEvidence: Equatable {
    let joining: Double
    private var staying = 0.0
    private var seconds = 0.0

    init(joining: Double) { self.joining = joining }

    mutating func add(_ staying: Double) {
        self.staying += staying
        seconds += 1
    }

    var meanStaying: Double { seconds > 0 ? staying / seconds : 0 }
}

extension VisitModel {
    /// The source of the fit: `Tests/QueueBench/fit --visits` on 2026-11-22, logistic regression on the stays that the
    /// decoder proposes in the worlds of `LineModel.fitted`.
    static let fitted = VisitModel(
        joining: LineModel.Edge(
            constant: -13.352,
            entry: [
                0.0500, 0.0348, 0.0027, 0.0237, 0.1347, -0.0098, -0.0316, 0.0017, 0.0070,
            ],
            till: [
                -0.2013, -0.0553, -0.0433, -0.0196, 0.0207, -0.0090, 0.0122, 0.0111, 0.0094,
            ],
            ownEntry: -0.0289, ownTill: -0.1333),
        leaving: LineModel.Edge(
            constant: 0,
            entry: [
                0.0045, 0.0115, 0.0122, 0.0085, 0.0033, -0.0427, -0.0407, -0.0599, -0.0262,
            ],
            till: [
                0.0188, 0.0362, 0.0305, 0.0342, 0.0534, 0.0475, -0.0379, -0.0464, 0.0252,
            ],
            ownEntry: -0.0255, ownTill: 0.0427),
        staying: [-0.0410, 0.0585, -0.0348, 8.9232], length: [0.6069, 0.0648], gain: 0.0542)
}
