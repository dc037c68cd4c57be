/// The share of people who carry a beacon, with its 90 % interval.
package struct Coverage: Equatable, Sendable {
    /// The source of the share.
    package enum Source: String, Sendable {
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
        let scale = LengthInterval.precision / LengthInterval.recall
        share = min(1, posterior.mean * scale)
        low = min(1, posterior.quantile(0.05) * scale)
        high = min(1, posterior.quantile(0.95) * scale)
        source = .receipts
    }

    /// People that must have been served.
    private static let fewest: Int64 = 20
    /// The people that a configured share without an interval is worth.
    private static let surePrior = 50.0

    /// The mean of the prior, and the people that it is worth. Without a configured share it is Jeffreys'.
    private static func prior(_ settings: CoverageSettings?) -> (mean: Double, weight: Double) {
        guard let settings else { return (0.5, 1) }
        let share = min(max(settings.share, 0.01), 0.99)
        let deviation = (settings.highest - settings.lowest) / (2 * 1.645)
        guard deviation > 0 else { return (share, surePrior) }
        return (share, min(max(2, share * (1 - share) / (deviation * deviation) - 1), 200))
    }
}
