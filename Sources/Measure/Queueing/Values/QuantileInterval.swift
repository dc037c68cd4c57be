import Glibc
import Primitives

/// The 90 % interval of a quantile of all waits, of which some are known. It assumes no distribution of the waits: its ends
/// are waits of the sample, by their rank (order statistics).
///
/// Three errors widen it. Of the `N` people who were served, `n` are known. `K` of the `N` waits are not longer than the
/// quantile: of these, the sample has a hypergeometric number. Some of the known waits are of passers-by: they may all be
/// longer than the quantile, or all be shorter. And dates are some seconds wrong.
struct QuantileInterval: Equatable, Sendable {
    /// `nil` where too few waits are known.
    let low: Duration?
    let high: Duration?

    /// The share of the known waits that are no person's, with dates that are wrong by minutes. With the date error, it makes
    /// the interval hold in 97 % (median) and 94 % (p90) of 455 half hours of the bench (Tests/README.md).
    private static let wrong = 0.04
    private static let dateError = Duration.seconds(2)
    private static let tail = 0.05
    /// Where the tails of a normal distribution begin.
    private static let deviations = 1.645
    /// Beyond it, a binomial distribution is treated as a normal one: a day has thousands of waits.
    private static let many = 200
    /// A sum that equals the tail is within it, however the processor rounds.
    private static let rounding = 1e-9

    /// - Parameters:
    ///   - share: of the people who waited no longer.
    ///   - sorted: the known waits, in ascending order.
    ///   - served: the tags that were served, also those whose wait is not known.
    ///   - coverage: `nil` counts people with a beacon only.
    init(_ share: Double, of sorted: [Duration], served: Int, _ coverage: Coverage?) {
        let known = sorted.count
        let seen = Recognition.usual * (coverage?.low ?? 1)
        let people = Int((Double(max(known, served)) / seen).rounded(.up))
        let below = Int((share * Double(people)).rounded(.up))
        let ranks = Self.ranks(known) {
            Self.probability(of: $0, known, among: people, with: below)
        } fewer: {
            Self.probability(of: $0, known, among: people, with: below - 1)
        }
        low = ranks.low.map { max(.zero, sorted[$0 - 1] - Self.dateError) }
        high = ranks.high.map { sorted[$0 - 1] + Self.dateError }
    }

    /// The interval for any number of people, of whom the known ones are a sample: the sample has a binomial number. A
    /// hypergeometric number varies less, so the interval is wide enough for few people too.
    ///
    /// - Parameter waits: the known waits; each is as long as its bin allows.
    init(_ share: Double, of waits: WaitHistogram) {
        let known = Int(waits.count)
        let probability = { (number: Int) in
            exp(
                Self.logChoices(known, number) + Double(number) * log(share)
                    + Double(known - number) * log(1 - share))
        }
        let ranks =
            known > Self.many
            ? Self.ranks(known, about: share) : Self.ranks(known, probability, fewer: probability)
        low = ranks.low.map { max(.zero, waits.range(ofRank: $0).lowerBound - Self.dateError) }
        high = ranks.high.map { waits.range(ofRank: $0).upperBound + Self.dateError }
    }

    /// The ranks of the waits at the ends, from 1 on; `nil` where none is certain enough.
    ///
    /// - Parameters:
    ///   - probability: of this number of known waits that are at most the quantile.
    ///   - fewer: of this number of known waits that are less.
    private static func ranks(
        _ known: Int, _ probability: (Int) -> Double, fewer: (Int) -> Double
    ) -> (low: Int?, high: Int?) {
        guard known > 0 else { return (nil, nil) }
        let wrong = wrong(among: known)
        // The wait of a rank is at most the quantile if that many waits of the sample are.
        var rank = 0
        var missing = probability(0)
        while rank < known, missing <= Self.tail + Self.rounding {
            rank += 1
            missing += probability(rank)
        }
        let lowest = rank - wrong
        // It is at least the quantile if fewer are shorter.
        rank = 0
        var shorter = 0.0
        while rank <= known, shorter < 1 - Self.tail - Self.rounding {
            shorter += fewer(rank)
            rank += 1
        }
        let highest = rank + wrong
        return (lowest > 0 ? lowest : nil, highest <= known ? highest : nil)
    }

    /// The same for many waits.
    private static func ranks(_ known: Int, about share: Double) -> (low: Int?, high: Int?) {
        let mean = share * Double(known)
        let width = deviations * (mean * (1 - share)).squareRoot()
        let lowest = Int(mean - width) - wrong(among: known)
        let highest = Int((mean + width).rounded(.up)) + wrong(among: known)
        return (lowest > 0 ? lowest : nil, highest <= known ? highest : nil)
    }

    private static func wrong(among known: Int) -> Int {
        max(1, Int((wrong * Double(known)).rounded()))
    }

    /// The hypergeometric probability that a sample has `number` of the `special` ones of a population.
    private static func probability(
        of number: Int, _ sample: Int, among population: Int, with special: Int
    ) -> Double {
        guard (0...special).contains(number), (0...population - special).contains(sample - number)
        else { return 0 }
        return exp(
            logChoices(special, number) + logChoices(population - special, sample - number)
                - logChoices(population, sample))
    }

    /// The logarithm of the number of ways to choose.
    private static func logChoices(_ all: Int, _ chosen: Int) -> Double {
        let logFactorial = { (number: Int) in logGamma(Double(number) + 1) }
        return logFactorial(all) - logFactorial(chosen) - logFactorial(all - chosen)
    }
}
