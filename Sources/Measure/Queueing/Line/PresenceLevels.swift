import Glibc

/// The recent levels of one tag at one queue: means over 3, 12 and 40 seconds, and sinking peaks of the first ones.
struct PresenceLevels: Equatable {
    /// By span and then by role: the entry, the till, the loudest gateway, also of those along the line.
    private var means = [Double](repeating: HeldLevel.floor, count: 3 * Self.spans.count)
    /// Of the entry and the till in turn, one for each of `sinks`.
    private var peaks = [Double](repeating: HeldLevel.floor, count: Self.sinks.count)
    private var last = LevelHistory.Sample()

    /// The exponential means over 3, 12 and 40 seconds, each by the share that a new second has.
    private static let spans = [3.0, 12, 40].map { 1 - exp(-1 / $0) }
    /// Decibels a second by which a peak sinks.
    private static let sinks = [0.1, 0.1, 0.5, 0.5]

    /// One storage for all tags that are away.
    static let silent = PresenceLevels()

    /// Adds a second in which both roles heard.
    mutating func follow(_ sample: LevelHistory.Sample) {
        last = sample
        for (span, share) in Self.spans.enumerated() {
            for (role, level) in [sample.entry, sample.till, sample.loudest].enumerated() {
                means[3 * span + role] += share * (level - means[3 * span + role])
            }
        }
        for index in peaks.indices {
            peaks[index] = max(means[index % 2], peaks[index] - Self.sinks[index])
        }
    }

    /// Whether the tag is close enough to be in line, by the mean over 12 seconds of its loudest gateway.
    var isNear: Bool { means[5] > Self.near }

    /// Decibels above the close level. The tag of a person in line is hardly ever below it for so long. Chosen.
    private static let near = -21.0

    /// The levels at present: means over the shortest span. One second alone would make the line's length jump.
    var present: LevelHistory.Sample {
        var sample = last
        (sample.entry, sample.till, sample.loudest) = (means[0], means[1], means[2])
        return sample
    }

    /// In the order of the weights: the own levels, the means, the peaks.
    var features: [Double] { [last.ownEntry, last.ownTill] + means + peaks }
}
