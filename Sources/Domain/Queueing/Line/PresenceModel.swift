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
    /// The source of the fit: logistic regression on each tenth second of the worlds of `LineModel.fitted`.
    static let fitted = PresenceModel(
        levels: [
            -0.0862, -0.1321, 0.0603, 0.3552, 0.1243, 0.0327, -0.0828, 0.0458, 0.0133, 0.0698,
            -0.0193, 0.0466, 0.0327, -0.1316, -0.206,
        ], margin: 0.5552, laggedMargin: 0.0348, age: -0.4955, seen: 0.2313,
        joining: 0.6737, staying: -0.9311, constant: 2.4777)

    /// In the worlds of `LineModel.browsing`.
    static let browsing = PresenceModel(
        levels: [
            -0.0895, -0.0121, 0.0723, 0.3632, 0.1036, 0.0298, 0.111, -0.1401, -0.0008, -0.2948,
            0.152, 0.1502, 0.1793, -0.1518, -0.3717,
        ], margin: 0.5233, laggedMargin: 0.0557, age: -0.2278, seen: 0.7761,
        joining: 0.7492, staying: -1.8549, constant: -0.0315)
}
