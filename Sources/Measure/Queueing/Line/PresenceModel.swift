import Facts
import Glibc

/// The probability that a tag is in line at present, from its levels until now.
///
/// The decoder decides in hindsight: it knows how a stay ended. The present needs another answer, by logistic regression
/// on recent levels, their peaks, and the decoder's own margin.
struct PresenceModel {
    /// A weight for each of the `PresenceLevels`.
    struct Levels {
        let own: LineEnds
        /// Of the means over 3, 12 and 40 seconds.
        let short: Weights
        let medium: Weights
        let long: Weights
        let slowPeaks: LineEnds
        let fastPeaks: LineEnds
    }

    let levels: Levels
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
        levels.add(to: &sum, self.levels)
        return Double(probabilityWithLogOdds: sum)
    }
}

/// The recent levels of one tag at one queue: means over 3, 12 and 40 seconds, and sinking peaks of the first ones.
struct PresenceLevels: Equatable {
    /// Exponential means over some seconds.
    struct Means: Equatable {
        var entry = HoldFilter.floor
        var till = HoldFilter.floor
        /// Of the loudest gateway, also of those along the line.
        var loudest = HoldFilter.floor

        /// - Parameter share: of the new second.
        mutating func follow(_ sample: LevelHistory.Sample, share: Double) {
            entry += share * (sample.entry - entry)
            till += share * (sample.till - till)
            loudest += share * (sample.loudest - loudest)
        }

        fileprivate func add(to sum: inout Double, _ weights: Weights) {
            sum += weights.entry * entry
            sum += weights.till * till
            sum += weights.loudest * loudest
        }
    }

    /// Over 3 s.
    private var short = Means()
    /// Over 12 s.
    private var medium = Means()
    /// Over 40 s.
    private var long = Means()
    /// Peaks of `short` that sink by 0.1 dB a second.
    private var slowPeaks = LineEnds(entry: HoldFilter.floor, till: HoldFilter.floor)
    /// Peaks of `short` that sink by 0.5 dB a second.
    private var fastPeaks = LineEnds(entry: HoldFilter.floor, till: HoldFilter.floor)
    private var last = LevelHistory.Sample()

    /// The share that a new second has in each mean.
    private static let shortShare = 1 - exp(-1 / 3.0)
    private static let mediumShare = 1 - exp(-1 / 12.0)
    private static let longShare = 1 - exp(-1 / 40.0)
    /// Decibels a second by which a peak sinks.
    private static let slowSink = 0.1
    private static let fastSink = 0.5

    /// Adds a second in which both roles heard.
    mutating func follow(_ sample: LevelHistory.Sample) {
        last = sample
        short.follow(sample, share: Self.shortShare)
        medium.follow(sample, share: Self.mediumShare)
        long.follow(sample, share: Self.longShare)
        slowPeaks.follow(short, sink: Self.slowSink)
        fastPeaks.follow(short, sink: Self.fastSink)
    }

    /// Whether the tag is close enough to be in line, by the mean over 12 seconds of its loudest gateway.
    var isNear: Bool { medium.loudest > Self.near }

    /// Decibels above the close level. The tag of a person in line is hardly ever below it for so long. Chosen.
    private static let near = -21.0

    /// Whether the tag is not close for longer, by the mean over 40 seconds.
    var hasGone: Bool { long.loudest <= Self.near }

    /// Whether the tag is close, and nearer to a till than to the entry, by the same mean.
    var isAtTill: Bool { !hasGone && long.till > long.entry }

    /// Whether the tag is near the line, but hardly in it, by the same mean.
    var isBeside: Bool { medium.loudest >= RoleLevels.away && medium.loudest < Self.beside }

    /// Decibels above the close level. Chosen: in lines of 3 and 5 m, the loudest gateway is hardly ever fainter for long.
    private static let beside = -18.0

    /// The levels at present: means over the shortest span. One second alone would make the line's length jump.
    var present: LevelHistory.Sample {
        var sample = last
        (sample.entry, sample.till, sample.loudest) = (short.entry, short.till, short.loudest)
        return sample
    }

    /// Adds the weighted levels to a sum of log-odds, one by one: the last bits of a sum depend on the order.
    func add(to sum: inout Double, _ weights: PresenceModel.Levels) {
        sum += weights.own.entry * last.ownEntry
        sum += weights.own.till * last.ownTill
        short.add(to: &sum, weights.short)
        medium.add(to: &sum, weights.medium)
        long.add(to: &sum, weights.long)
        sum += weights.slowPeaks.entry * slowPeaks.entry
        sum += weights.slowPeaks.till * slowPeaks.till
        sum += weights.fastPeaks.entry * fastPeaks.entry
        sum += weights.fastPeaks.till * fastPeaks.till
    }
}

extension LineEnds {
    /// Peaks sink until the means are higher.
    fileprivate mutating func follow(_ means: PresenceLevels.Means, sink: Double) {
        entry = max(means.entry, entry - sink)
        till = max(means.till, till - sink)
    }
}
