import Glibc

/// How many people may be in line when `seen` tags are: the 90 % interval.
///
/// Two errors widen it. A tag may be in line wrongly, and a person may be missed: without a beacon, or unrecognised.
/// With a flat prior, the number of people given `seen` tags has a negative binomial distribution.
struct LengthInterval: Equatable {
    let estimate: Double
    let low: Int
    let high: Int

    /// Of recognised visits, and of visits that are recognised: measured on the bench (Tests/QueueBench).
    static let precision = 0.98
    static let recall = 0.95
    private static let tail = 0.05
    private static let mostPeople = 100_000
    /// A sum that equals the quantile reaches it, however the processor rounds: 0.95 with nobody seen is such a case.
    private static let rounding = 1e-9

    /// - Parameter coverage: `nil` counts people with a beacon only.
    init(seen: Int, _ coverage: CoverageSettings?) {
        self.init(seen: seen, share: coverage.map { Coverage($0) })
    }

    init(seen: Int, share coverage: Coverage?) {
        let share = coverage?.share ?? 1
        estimate = Double(seen) / share
        let trueTags = Self.lowest(of: seen)
        let least = (coverage?.high ?? 1) * Self.recall
        let most = (coverage?.low ?? 1) * Self.recall
        // Without coverage, the recognised tags may be all people.
        low =
            coverage == nil
            ? trueTags : min(seen, trueTags) + Self.missed(trueTags, share: least, below: Self.tail)
        high = seen + Self.missed(seen, share: most, below: 1 - Self.tail)
    }

    /// The least number of tags that are rightly in line: a quantile of the binomial distribution.
    private static func lowest(of seen: Int) -> Int {
        guard seen > 0 else { return 0 }
        var below = 0.0
        for count in 0...seen {
            below += exp(
                logChoose(seen, count) + Double(count) * log(precision) + Double(seen - count)
                    * log(1 - precision))
            if below > tail { return count }
        }
        return seen
    }

    /// A quantile of the number of missed people, when each is seen with the probability `share`.
    private static func missed(_ seen: Int, share: Double, below quantile: Double) -> Int {
        var below = 0.0
        for count in 0..<mostPeople {
            below += exp(
                logChoose(seen + count, count) + Double(seen + 1) * log(share) + Double(count)
                    * log(1 - share))
            if below >= quantile - rounding { return count }
        }
        return mostPeople
    }

    private static func logChoose(_ number: Int, _ chosen: Int) -> Double {
        logGamma(Double(number + 1)) - logGamma(Double(chosen + 1))
            - logGamma(Double(number - chosen + 1))
    }
}
