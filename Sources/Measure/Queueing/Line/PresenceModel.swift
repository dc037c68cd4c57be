import Facts
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
    ///   - correction: of `constant`, at the queue.
    func probability(
        _ levels: PresenceLevels, ahead: LineDecoder, behind: LineDecoder, age: Duration,
        seen: Duration, correction: Double
    ) -> Double {
        let clip = { (value: Double) in min(max(value, -Self.mostMargin), Self.mostMargin) }
        var sum = constant + correction
        sum += margin * clip(ahead.margin) + laggedMargin * clip(behind.margin)
        sum += joining * ahead.evidence.joining + staying * ahead.evidence.meanStaying
        sum +=
            self.age * log1p(max(.zero, age).inSeconds)
            + self.seen * log1p(max(.zero, seen).inSeconds)
        for (weight, value) in zip(self.levels, levels.features) { sum += weight * value }
        return Double(probabilityWithLogOdds: sum)
    }
}

extension PresenceModel {
    /// The source of the fit: logistic regression on each tenth second of the worlds of `LineModel.direct`.
    static let direct = PresenceModel(
        levels: [
            -0.0862, -0.1267, 0.0668, 0.2964, 0.1248, 0.0256, -0.0617, 0.0076, 0.0714, 0.1249,
            -0.133, 0.0549, 0.0249, -0.1027, -0.2284,
        ], margin: 0.5340, laggedMargin: 0.0206, age: 0.2210, seen: -0.3940,
        joining: 0.7519, staying: -0.9870, constant: 4.5720)

    /// In the worlds of `LineModel.browsing`.
    static let browsing = PresenceModel(
        levels: [
            -0.0154, -0.1177, 0.0776, 0.237, 0.1427, 0.0425, 0.1654, -0.1536, 0.0323, -0.1687,
            0.0787, 0.1791, 0.1083, -0.179, -0.3006,
        ], margin: 0.5440, laggedMargin: 0.0136, age: -0.2945, seen: 0.8963,
        joining: 0.4597, staying: -1.3800, constant: -0.6526)
}
