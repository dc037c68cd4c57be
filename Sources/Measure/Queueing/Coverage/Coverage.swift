/// The share of people who carry a beacon, with its 90 % interval.
package struct Coverage: Equatable, Sendable {
    /// The source of the share.
    package enum Source: String, CaseIterable, Sendable {
        case configured
        /// Compared with the receipts of the tills.
        case receipts
    }

    package let share: Double
    package let low: Double
    package let high: Double
    package let source: Source

    init(_ settings: CoverageSettings) {
        share = settings.share
        low = settings.lowest
        high = settings.highest
        source = .configured
    }

    /// The share after `people` were served, of whom `tags` were recognised; `nil` where that says too little.
    ///
    /// The posterior is a beta distribution. A configured share is its prior.
    init?(people: Int64, tags: Int64, prior settings: CoverageSettings?) {
        guard people >= Self.fewest else { return nil }
        let (prior, weight) = Self.prior(settings)
        let seen = Double(min(tags, people))
        let posterior = BetaDistribution(
            alpha: weight * prior + seen, beta: weight * (1 - prior) + Double(people) - seen)
        // Some tags are not recognised, and some recognised ones are no visits.
        let scale = LengthInterval.precision / Recognition.usual
        share = min(1, posterior.mean * scale)
        low = min(1, posterior.quantile(0.05) * scale)
        high = min(1, posterior.quantile(0.95) * scale)
        source = .receipts
    }

    /// People that must have been served.
    private static let fewest: Int64 = 20
    /// The people that a configured share without an interval is worth. All numbers of the prior are chosen.
    private static let surePrior = 50.0
    /// The people that a configured share with an interval is worth, at least and at most.
    private static let priorWorth = 2.0...200
    /// A share of 0 or 1 would exclude all others.
    private static let priorShares = 0.01...0.99
    /// Half the width of a 90 % interval of the normal distribution, in standard deviations.
    private static let normalDeviations = 1.645

    /// The mean of the prior, and the people that it is worth. Without a configured share it is Jeffreys'.
    private static func prior(_ settings: CoverageSettings?) -> (mean: Double, weight: Double) {
        guard let settings else { return (0.5, 1) }
        let share = min(max(settings.share, priorShares.lowerBound), priorShares.upperBound)
        let deviation = (settings.highest - settings.lowest) / (2 * normalDeviations)
        guard deviation > 0 else { return (share, surePrior) }
        let worth = share * (1 - share) / (deviation * deviation) - 1
        return (share, min(max(priorWorth.lowerBound, worth), priorWorth.upperBound))
    }
}
