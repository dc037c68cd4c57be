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
            + Self.orderly
    }

    /// Nats: the fit expects more passers-by than the order of the line leaves. Chosen on the bench.
    static let orderly = 0.5
}

extension VisitModel {
    /// The source of the fit: `Tests/QueueBench/fit` on 2026-11-22, logistic regression on the stays that the decoder
    /// proposes in 168 hours: those of `LineModel.fitted`, and of the virtual radio with the seeds 401, 405 and 502.
    static let fitted = VisitModel(
        joining: LineModel.Edge(
            constant: -10.361,
            entry: [
                0.0797, 0.0525, -0.0101, 0.0104, 0.1615, -0.0126, -0.0133, -0.0062, 0.0104,
            ],
            till: [
                -0.1210, 0.0160, -0.0172, -0.0340, -0.0264, 0.0128, 0.0198, 0.0120, 0.0145,
            ],
            ownEntry: -0.0770, ownTill: -0.1374),
        leaving: LineModel.Edge(
            constant: 0,
            entry: [
                -0.0290, 0.0082, 0.0261, 0.0030, 0.0054, -0.0188, -0.0308, -0.0541, 0.0014,
            ],
            till: [
                0.0356, 0.0210, 0.0240, 0.0165, 0.0968, 0.0227, -0.0708, -0.0404, 0.0296,
            ],
            ownEntry: -0.0007, ownTill: -0.0193),
        staying: [-0.0081, 0.0605, -0.0290, 8.6291], length: [0.6671, 0.0795], gain: 0.0666)

    /// In the worlds of `LineModel.browsing`.
    static let browsing = VisitModel(
        joining: LineModel.Edge(
            constant: -9.222,
            entry: [
                0.0332, 0.0187, 0.0166, 0.0146, 0.0624, 0.0111, -0.0019, -0.0000, 0.0072,
            ],
            till: [
                -0.0079, -0.0074, -0.0079, 0.0125, -0.0066, 0.0172, 0.0226, 0.0169, 0.0015,
            ],
            ownEntry: -0.0208, ownTill: -0.1427),
        leaving: LineModel.Edge(
            constant: 0.000,
            entry: [
                -0.0184, -0.0025, 0.0155, 0.0093, 0.0066, -0.0287, -0.0221, -0.0123, -0.0028,
            ],
            till: [
                0.0165, 0.0193, 0.0188, 0.0236, 0.0520, 0.0141, -0.0036, -0.0128, -0.0775,
            ],
            ownEntry: -0.0009, ownTill: -0.1462),
        staying: [0.0099, 0.026, 0.001, 6.5203], length: [0.6848, 0.0669], gain: 0.0657)
}
