import Foundation
import Testing

@testable import Queueing

@Suite("the interval of the length")
struct LengthIntervalTests {
    /// The largest number that has too little probability above it, by adding up Bayes' rule with a flat prior.
    private static func upper(seen: Int, share: Double) -> Int {
        var weights: [Double] = []
        for people in seen..<seen + 500 {
            var weight = pow(share, Double(seen))
            for index in 0..<people - seen {
                weight *= Double(people - index) / Double(index + 1) * (1 - share)
            }
            weights.append(weight)
        }
        let total = weights.reduce(0, +)
        var below = 0.0
        for (index, weight) in weights.enumerated() {
            below += weight / total
            if below >= 0.95 { return seen + index }
        }
        return seen + weights.count
    }

    @Test("the upper end is that of Bayes' rule", arguments: [0, 1, 5, 20], [30, 60, 100])
    func upper(seen: Int, percent: Int) {
        let coverage = CoverageSettings { $0.percent = percent }
        let interval = LengthInterval(seen: seen, coverage)
        // 0.95 of those with a beacon are recognised.
        #expect(interval.high == Self.upper(seen: seen, share: Double(percent) / 100 * 0.95))
        #expect(interval.low <= interval.high)
    }

    @Test("an uncertain share widens the interval")
    func share() {
        let sure = LengthInterval(seen: 6, CoverageSettings { $0.percent = 30 })
        let unsure = LengthInterval(
            seen: 6,
            CoverageSettings {
                $0.percent = 30
                $0.low = 20
                $0.high = 40
            })
        #expect(unsure.low <= sure.low)
        #expect(unsure.high > sure.high)
        #expect(sure.estimate == 20)
    }

    @Test("without a share, tags in line are people with a beacon")
    func withoutCoverage() {
        let interval = LengthInterval(seen: 4, nil)
        #expect(interval.estimate == 4)
        #expect(interval.low <= 4)
        #expect(interval.high >= 4)
    }
}
