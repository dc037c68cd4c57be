import Glibc

/// The probability that a tag is in line at present, from its levels until now.
///
/// The decoder decides in hindsight: it knows how a stay ended. The present needs another answer, by logistic regression
/// on recent levels, their peaks, and the decoder's own margin.
struct PresenceModel {
    /// A weight for each feature of `PresenceLevels`.
    let levels: [Double]
    /// Weights of the decoder's margin at present levels, and twelve seconds ago.
    let margin: Double
    let laggedMargin: Double
    /// Weights of the logarithms of the seconds since joining, and since the tag came.
    let age: Double
    let seen: Double
    /// Weights of the parts of `VisitModel` until now.
    let joining: Double
    let staying: Double
    let constant: Double

    /// A margin beyond this is as good as certain, in nats.
    private static let mostMargin = 10.0

    /// - Parameters:
    ///   - ahead: the decoder after twelve seconds more at the present levels.
    ///   - behind: the decoder twelve seconds ago.
    ///   - age: the time since joining.
    ///   - seen: the time since the tag came.
    func probability(
        _ levels: PresenceLevels, ahead: LineDecoder, behind: LineDecoder, age: Duration,
        seen: Duration
    ) -> Double {
        let clip = { (value: Double) in min(max(value, -Self.mostMargin), Self.mostMargin) }
        var sum = constant + margin * clip(ahead.margin) + laggedMargin * clip(behind.margin)
        sum += joining * ahead.evidence.joining + staying * ahead.evidence.meanStaying
        sum +=
            self.age * log1p(max(.zero, age).inSeconds)
            + self.seen * log1p(max(.zero, seen).inSeconds)
        for (weight, value) in zip(self.levels, levels.features) { sum += weight * value }
        return Double(probabilityWithLogOdds: sum)
    }
}

extension PresenceModel {
    /// The source of the fit: logistic regression on each fifth second of the worlds of `LineModel.fitted`.
    ///
    /// It had a shortest span of 4 s, and weights for the last second. They are added to those of the shortest span. The span
    /// of 3 s was chosen later, on the bench.
    static let fitted = PresenceModel(
        levels: [
            -0.0566, -0.0511, 0.0139, 0.2359, 0.1418, -0.0303, 0.0404, 0.1065, 0.1305, -0.0107,
            -0.1382, -0.0281, -0.0132, -0.0316, -0.1383,
        ], margin: 0.5644, laggedMargin: 0.0172, age: -0.1284, seen: 0.2260,
        joining: 0.5135, staying: -0.4799, constant: 0.3179)

    /// In the worlds of `LineModel.browsing`.
    static let browsing = PresenceModel(
        levels: [
            -0.0895, -0.0121, 0.0723, 0.3632, 0.1036, 0.0298, 0.111, -0.1401, -0.0008, -0.2948,
            0.152, 0.1502, 0.1793, -0.1518, -0.3717,
        ], margin: 0.5233, laggedMargin: 0.0557, age: -0.2278, seen: 0.7761,
        joining: 0.7492, staying: -1.8549, constant: -0.0315)
}
