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
    /// Weights of the level at the entry, at the till and at the loudest gateway, and of `I`.
    let staying: [Double]
    /// Weights of the logarithm of the length in seconds, and of its square.
    let length: [Double]
    let gain: Double
    /// Nats, chosen on the bench: above 0, recall gains, and precision loses.
    let inclination: Double

    /// The part of a second in line.
    func staying(_ sample: LevelHistory.Sample, stay: Double) -> Double {
        staying[0] * sample.entry + staying[1] * sample.till + staying[2] * sample.loudest
            + staying[3] * stay
    }

    func logOdds(
        _ evidence: StayEvidence, leaving: Double, wait: Duration, gain: Double
    ) -> Double {
        let length = log(max(.seconds(1), wait).inSeconds)
        return evidence.joining + evidence.meanStaying + leaving
            + length * (self.length[0] + length * self.length[1]) + self.gain * gain
            + inclination
    }
}

extension VisitModel {
    /// The source of the fit: `Tests/QueueBench/fit` on 2026-11-26, logistic regression on the stays that the decoder
    /// proposes in the worlds of `LineModel.direct`.
    static let direct = VisitModel(
        joining: LineModel.Edge(
            constant: -5.470,
            entry: [
                0.0387, 0.0205, 0.0023, 0.0278, 0.0906, -0.0103, -0.0198, -0.0110, 0.0123,
            ],
            till: [
                0.0228, -0.0169, -0.0233, -0.0284, -0.0185, -0.0103, 0.0082, 0.0079, -0.0046,
            ],
            ownEntry: -0.0396, ownTill: -0.0225),
        leaving: LineModel.Edge(
            constant: 0.000,
            entry: [
                -0.0170, -0.0025, 0.0019, 0.0040, -0.0172, -0.0169, -0.0441, -0.0378, -0.0263,
            ],
            till: [
                0.0402, 0.0388, 0.0216, 0.0234, 0.0724, 0.0339, -0.0005, -0.0185, -0.0228,
            ],
            ownEntry: 0.0568, ownTill: -0.0217),
        staying: [0.0098, 0.0409, -0.0133, 9.0544], length: [0.7265, 0.0759], gain: 0.0661,
        inclination: -0.7)

    /// In the worlds of `LineModel.browsing`.
    static let browsing = VisitModel(
        joining: LineModel.Edge(
            constant: -2.829,
            entry: [
                0.0376, 0.0102, 0.0123, 0.0162, 0.0262, -0.0027, -0.0043, 0.0004, 0.0051,
            ],
            till: [
                0.0170, 0.0144, 0.0117, 0.0122, -0.0097, 0.0069, 0.0045, 0.0060, -0.0038,
            ],
            ownEntry: -0.0382, ownTill: -0.0177),
        leaving: LineModel.Edge(
            constant: 0.000,
            entry: [
                -0.0230, -0.0052, 0.0111, 0.0040, 0.0007, -0.0350, -0.0239, -0.0500, -0.0115,
            ],
            till: [
                0.0218, 0.0112, 0.0191, 0.0250, 0.0547, 0.0210, -0.0009, 0.0061, -0.0120,
            ],
            ownEntry: -0.0242, ownTill: -0.0475),
        staying: [-0.0077, 0.0245, 0.0213, 6.0758], length: [0.5757, 0.0593], gain: 0.0492,
        inclination: 0.5)
}
