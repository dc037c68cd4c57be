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
    /// proposes in the worlds of `LineModel.fitted`.
    static let fitted = VisitModel(
        joining: LineModel.Edge(
            constant: -7.648,
            entry: [
                0.0217, 0.0012, 0.0153, 0.0362, 0.0879, -0.0088, -0.0182, -0.0223, 0.0038,
            ],
            till: [
                -0.0148, -0.0419, -0.0231, -0.0247, -0.0201, -0.0136, 0.0162, 0.0115, 0.0005,
            ],
            ownEntry: -0.0241, ownTill: -0.0626),
        leaving: LineModel.Edge(
            constant: 0.000,
            entry: [
                -0.0083, 0.0063, 0.0096, -0.0024, -0.0201, -0.0143, -0.0380, -0.0426, -0.0453,
            ],
            till: [
                0.0202, 0.0249, 0.0154, 0.0253, 0.0588, 0.0482, 0.0135, -0.0092, -0.0229,
            ],
            ownEntry: 0.0041, ownTill: 0.0291),
        staying: [-0.0132, 0.0608, -0.0122, 8.9212], length: [0.7986, 0.077], gain: 0.0430,
        inclination: -0.5)

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
        staying: [0.0099, 0.026, 0.001, 6.5203], length: [0.6848, 0.0669], gain: 0.0657,
        inclination: 0.5)
}
