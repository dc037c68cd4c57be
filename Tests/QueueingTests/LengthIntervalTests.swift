import Foundation
import Testing

@testable import Facts
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
        let coverage = Coverage(CoverageSettings { $0.percent = percent })
        let interval = LengthInterval(Self.sure(seen, recall: 0.95), coverage)
        #expect(interval.high == Self.upper(seen: seen, share: Double(percent) / 100 * 0.95))
        #expect(interval.low <= interval.high)
    }

    @Test("an uncertain share widens the interval")
    func share() {
        let tags = Self.sure(6, recall: 1)
        let sure = LengthInterval(tags, Coverage(CoverageSettings { $0.percent = 30 }))
        let unsure = LengthInterval(
            tags,
            Coverage(
                CoverageSettings {
                    $0.percent = 30
                    $0.low = 20
                    $0.high = 40
                }))
        #expect(unsure.low <= sure.low)
        #expect(unsure.high > sure.high)
        #expect(sure.estimate == 20)
    }

    @Test("without a share, tags in line are people with a beacon")
    func withoutCoverage() {
        let interval = LengthInterval(Self.sure(4, recall: 1), nil)
        #expect(interval.estimate == 4)
        #expect(interval.low == 4 && interval.high == 4)
    }

    @Test("a full share of people with a beacon misses nobody")
    func fullCoverage() {
        let coverage = Coverage(CoverageSettings { $0.percent = 100 })
        let interval = LengthInterval(Self.sure(4, recall: 1), coverage)
        #expect(interval.low == 4 && interval.high == 4)
    }

    @Test("a share of almost nobody gives a bounded interval", arguments: [0, 1000])
    func leastCoverage(count: Int) {
        let coverage = Coverage(people: .max, tags: 0, prior: nil)
        let interval = LengthInterval(Self.sure(count, recall: 1), coverage)
        #expect(interval.low <= interval.high && interval.high < 20_000)
    }

    @Test("each number of people has the sum of the probabilities of all choices of tags")
    func distribution() {
        let probabilities = [0.9, 0.5, 0.2, 0.03, 1, 0]
        var expected = [Double](repeating: 0, count: probabilities.count + 1)
        for choice in 0..<(1 << probabilities.count) {
            let each = probabilities.enumerated().map { index, probability in
                choice >> index & 1 == 1 ? probability : 1 - probability
            }
            expected[choice.nonzeroBitCount] += each.reduce(1, *)
        }
        let found = LengthInterval.distribution(probabilities, share: 1)
        #expect(found.count >= expected.count)
        for (number, found) in found.enumerated() {
            let expected = number < expected.count ? expected[number] : 0
            #expect(abs(found - expected) < 1e-12)
        }
    }

    @Test("a tag that may be in line widens the interval")
    func unsureTags() {
        let interval = { (probabilities: [Double]) in
            LengthInterval(
                TagsInLine(
                    count: probabilities.count { $0 > 0.5 }, probabilities: probabilities,
                    recall: 1), nil)
        }
        let ends = { (probabilities: [Double]) -> [Int] in
            let interval = interval(probabilities)
            return [interval.low, interval.high]
        }
        #expect(ends([0.99, 0.99]) == [2, 2])
        #expect(ends([0.99, 0.9]) == [1, 2])
        #expect(ends([0.99, 0.99, 0.04]) == [2, 2])
        #expect(ends([0.99, 0.99, 0.1]) == [2, 3])
        #expect(ends([]) == [0, 0])
        // A person may be in line: 0…0 would say that nobody is.
        #expect(ends([0.015]) == [0, 0])
        #expect(ends([0.025]) == [0, 1])
        #expect(ends([0.015, 0.015]) == [0, 1])
        // The interval has the estimate, also where the sum of many small probabilities has not.
        let many = interval([Double](repeating: 0.45, count: 20))
        #expect(many.estimate == 0 && many.low == 0 && many.high > 10)
    }

    @Test(
        "stays that are no visits, but one of which may be, forbid 0…0 in minutes that they outlast",
        arguments: [([-3.0], [1, 0]), ([-4], [0, 0]), ([-4, -4], [1, 0])])
    func undecidedStays(logOdds: [Double], expected: [Int]) throws {
        let layout = try Scene.layout()
        var account = QueueAccount(layout.queues[0], gateways: layout.gateways, nil)
        let strips = layout.gateways.map { GatewayStrip(gateway: $0) }
        let heard = layout.gateways.map { _ in GatewaySecond(heard: .seconds(1), levels: []) }
        for second in 0..<120 as Range<Int64> {
            account.on(heard, strips, at: UnixSecond(second), isBusy: false, isUnseen: false)
        }
        var order = LineOrder(ParallelTills(gateways: 1))
        for (tag, logOdds) in logOdds.enumerated() {
            order.add(
                LineStay(
                    entered: EdgeDate(20), left: EdgeDate(80), end: .served, gain: 0,
                    logOdds: logOdds), of: Facts.Tag(rawValue: UInt64(tag)))
        }
        for stay in order.judge(at: nil, stillInSince: nil) {
            let visit = account.on(
                TagRegistry.FinalStay(
                    queue: 0, tag: stay.tag, stay: stay.stay, isVisit: stay.isVisit, kind: .visitor)
            )
            #expect(visit == nil)
        }
        let minutes = account.close(decidedThrough: 120)
        #expect(minutes.map { LengthInterval($0.line.atEnd, nil).high } == expected)
        #expect(minutes.map(\.line.lengthAtEnd) == [0, 0])
        #expect(account.counts == TagCounts())
    }

    private static func sure(_ count: Int, recall: Double) -> TagsInLine {
        TagsInLine(
            count: count, probabilities: [Double](repeating: 1, count: count), recall: recall)
    }

    @Test("the estimate is within the interval", arguments: 1...100)
    func estimate(percent: Int) {
        var coverage = CoverageSettings()
        coverage.percent = percent
        for seen in 0...20 {
            let interval = LengthInterval(Self.sure(seen, recall: 0.95), Coverage(coverage))
            #expect(Double(interval.low) <= interval.estimate.rounded(), "\(seen)")
            #expect(interval.estimate.rounded() <= Double(interval.high), "\(seen)")
        }
    }
}
