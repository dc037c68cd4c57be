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

/// The recent levels of one tag at one queue: means over 3, 12 and 40 seconds, and sinking peaks of the first ones.
struct PresenceLevels: Equatable {
    private var means = [Double](repeating: HeldLevel.floor, count: 3 * Self.spans.count)
    private var peaks = [Double](repeating: HeldLevel.floor, count: 4)
    private var last = LevelHistory.Sample()

    /// Seconds of the exponential means, as the share that a new second has.
    private static let spans = [3.0, 12, 40].map { 1 - exp(-1 / $0) }
    /// Decibels a second by which a peak sinks.
    private static let sinks = [0.1, 0.1, 0.5, 0.5]

    /// One storage for all tags that are away.
    static let silent = PresenceLevels()

    /// Adds a second in which both roles heard.
    mutating func follow(_ sample: LevelHistory.Sample) {
        last = sample
        let both = max(sample.entry, sample.till)
        for (span, share) in Self.spans.enumerated() {
            for (role, level) in [sample.entry, sample.till, both].enumerated() {
                means[3 * span + role] += share * (level - means[3 * span + role])
            }
        }
        for index in peaks.indices {
            peaks[index] = max(means[index % 2], peaks[index] - Self.sinks[index])
        }
    }

    /// Whether the tag is close enough to be in line, by the mean over 12 seconds of its louder role.
    var isNear: Bool { means[5] > Self.near }

    /// Decibels above the close level. The tag of a person in line is hardly ever below it for so long.
    private static let near = -21.0

    /// The levels at present: means over the shortest span. One second alone would make the line's length jump.
    var present: LevelHistory.Sample {
        var sample = last
        (sample.entry, sample.till) = (means[0], means[1])
        sample.louder = max(sample.entry, sample.till)
        return sample
    }

    /// In the order of the weights: the own levels, the means, the peaks.
    var features: [Double] { [last.ownEntry, last.ownTill] + means + peaks }
}

extension PresenceModel {
    /// The source of the fit: logistic regression on each fifth second of the worlds of `LineModel.fitted`. It also had weights for
    /// the last second: they are added to those of the shortest span.
    static let fitted = PresenceModel(
        levels: [
            -0.0566, -0.0511, 0.0139, 0.2359, 0.1418, -0.0303, 0.0404, 0.1065, 0.1305, -0.0107,
            -0.1382, -0.0281, -0.0132, -0.0316, -0.1383,
        ], margin: 0.5644, laggedMargin: 0.0172, age: -0.1284, seen: 0.2260,
        joining: 0.5135, staying: -0.4799, constant: 0.3179)
}
