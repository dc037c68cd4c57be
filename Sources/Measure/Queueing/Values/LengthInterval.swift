import JSON

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

    /// Of recognised visits: measured on the bench (Tests/QueueBench).
    static let precision = 0.98
    private static let tail = 0.05
    /// An interval of 0…0 says that nobody is in line, and people act on it. A larger probability that an undecided tag is in line
    /// forbids it. Chosen.
    static let perhaps = 0.02
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
        // Where no tag may be in line, nobody with a beacon is missed.
        let least = (coverage?.low ?? 1) * (tags.probabilities.isEmpty ? 1 : tags.recall)
        let inside = min(estimate, Self.mostPeople)
        low = min(Int(inside), Self.quantile(Self.tail, tags.probabilities, share: most))
        let quantile = Self.quantile(1 - Self.tail, tags.probabilities, share: least)
        high = max(Int(inside.rounded(.up)), quantile, tags.somebody > Self.perhaps ? 1 : 0)
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

    /// That at least one tag is in line.
    var somebody: Double { Self.somebody(among: probabilities) }

    fileprivate static func somebody(among probabilities: [Double]) -> Double {
        1 - probabilities.reduce(1) { $0 * (1 - $1) }
    }
}

extension TagsInLine {
    /// Those of visits, in hindsight.
    ///
    /// - Parameters:
    ///   - undecided: stays that were judged to be no visits. They count if one of them may be a visit.
    ///   - somebody: the probability that somebody was in line, by the knowledge of the moment. It counts without visits: an
    ///     empty line must be empty at the moment and in hindsight.
    ///   - recall: of the queue.
    init(_ visits: [Visit], undecided: [Visit] = [], somebody: Double = 0, recall: Double) {
        count = visits.count
        let isDoubtful = visits.isEmpty && somebody > LengthInterval.perhaps
        let perhaps = undecided.map(\.probability)
        let counts = Self.somebody(among: perhaps) > LengthInterval.perhaps
        probabilities =
            visits.map(\.probability) + (counts ? perhaps : []) + (isDoubtful ? [somebody] : [])
        self.recall = recall
    }
}

/// The share of a queue's visits that are recognised.
///
/// The order of the line gives each stay its probability. Those above one half are visits, and the others add up to the
/// expected number of missed ones.
struct Recognition: Equatable, Sendable {
    private var visits = usual * weight
    private var missed = (1 - usual) * weight

    /// As in the worlds of the bench: the prior, with the weight of so many visits. Chosen.
    static let usual = 0.95
    private static let weight = 40.0
    /// With more visits, older ones begin to fade, and the prior counts again: a till may be closed for weeks.
    private static let most = 1000.0
    /// People who only pass add up as well, where few join. About the lowest share of the bench: at 3 m, where visitors linger.
    private static let least = 0.45

    init() {}

    mutating func add(_ visit: Visit) {
        guard visit.probability > LengthInterval.perhaps else { return }
        if visits + missed > Self.most {
            let prior = Recognition()
            visits = (visits + prior.visits) / 2
            missed = (missed + prior.missed) / 2
        }
        if visit.isProbable { visits += visit.probability } else { missed += visit.probability }
    }

    var recall: Double { max(Self.least, visits / (visits + missed)) }
}

extension Recognition {
    init(_ reader: inout ObjectReader) {
        visits = max(1, reader.number("visits", in: 0...Self.most * 2))
        missed = reader.number("missed", in: 0...Self.most * 2)
    }

    var json: JSON { ["visits": .number(visits), "missed": .number(missed)] }
}
