/// How many people there may be, in line or served: an interval of at least 90 %. It has the tails of the number and those of the coverage.
///
/// Two errors widen it. A tag may be in line or not: each has its probability `p`. And a person may be missed: without a
/// beacon, or unrecognised. Of the people, the share `s` is seen. With a flat prior, the people who are missed before each
/// seen one, and after the last one, have the same geometric distribution: the sum has a negative binomial one. The
/// generating function of the number of people is therefore, with `g(z) = s / (1 − (1 − s) z)`:
///
///     g(z) · Π over the tags of (1 − p + p z g(z))
struct LengthInterval: Equatable {
    let estimate: Double
    let low: Int
    let high: Int

    /// Of recognised visits, and of visits that are recognised: measured on the bench (Tests/QueueBench).
    static let precision = 0.98
    static let recall = 0.95
    private static let tail = 0.05
    private static let mostPeople = 10_000.0
    /// Numbers this many standard deviations beyond the mean have less than the tail.
    private static let deviations = 5.0
    /// A sum that equals the quantile reaches it, however the processor rounds: 0.95 with nobody seen is such a case.
    private static let rounding = 1e-9

    /// - Parameter coverage: `nil` counts people with a beacon only.
    init(_ tags: TagsInLine, _ coverage: Coverage?) {
        estimate = Double(tags.count) / (coverage?.share ?? 1)
        // Without coverage, the recognised tags may be all people. The interval also holds the estimate, which many improbable
        // tags or a small share may leave outside.
        let most = coverage.map { $0.high * tags.recall } ?? 1
        let least = (coverage?.low ?? 1) * tags.recall
        let inside = min(estimate, Self.mostPeople)
        low = min(Int(inside), Self.quantile(Self.tail, tags.probabilities, share: most))
        high = max(
            Int(inside.rounded(.up)),
            Self.quantile(1 - Self.tail, tags.probabilities, share: least))
    }

    /// The least number of people that reaches the quantile.
    private static func quantile(_ quantile: Double, _ tags: [Double], share: Double) -> Int {
        let distribution = distribution(tags, share: share)
        var below = 0.0
        for (number, probability) in distribution.enumerated() {
            below += probability
            if below >= quantile - rounding { return number }
        }
        return distribution.count - 1
    }

    /// The probability of each number of people, from 0 on.
    static func distribution(_ tags: [Double], share: Double) -> [Double] {
        let missed = 1 - share
        let seen = tags.reduce(0, +)
        let variance = tags.reduce(missed * (seen + 1)) { $0 + $1 * (1 - $1) }
        let largest = (seen + missed + deviations * variance.squareRoot()) / share
        var distribution = [share]
        while distribution.count < Int(min(largest, mostPeople)) + 2 {
            distribution.append(distribution[distribution.count - 1] * missed)
        }
        for probability in tags {
            // The sum of the distribution below each number, where each step costs the factor `missed`.
            var below = 0.0
            for number in distribution.indices {
                let without = distribution[number]
                distribution[number] += (share * below - without) * probability
                below = without + missed * below
            }
        }
        return distribution
    }
}

/// The tags of a line at one moment.
struct TagsInLine: Equatable, Sendable {
    /// Those that are more probably in line than not.
    let count: Int
    /// That a tag is in line: for each of those, and for others that may be.
    let probabilities: [Double]
    /// The share of the tags in line that are among them.
    let recall: Double
}

extension TagsInLine {
    /// Those of visits. Of the others, nothing is known any more.
    init(_ visits: [Visit]) {
        count = visits.count
        probabilities = visits.map(\.probability)
        recall = LengthInterval.recall
    }
}
