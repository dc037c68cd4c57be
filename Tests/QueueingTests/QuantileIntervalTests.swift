import Primitives
import Testing

@testable import Queueing

@Suite("the interval of a quantile")
struct QuantileIntervalTests {
    private static func seconds(_ range: some Sequence<Int64>) -> [Duration] {
        range.map { .seconds($0) }
    }

    @Test("without a wait there is none, and few waits have open ends")
    func few() {
        let none = QuantileInterval(0.5, of: [], served: 0, nil)
        #expect(none.low == nil && none.high == nil)
        let one = QuantileInterval(0.5, of: [.seconds(60)], served: 1, nil)
        #expect(one.low == nil && one.high == nil)
        let coverage = Coverage(CoverageSettings { $0.percent = 10 })
        let p90 = QuantileInterval(0.9, of: Self.seconds(1...15), served: 15, coverage)
        #expect(p90.low != nil && p90.high == nil)
    }

    @Test(
        "if all are known, dates, a passer-by and a missed person widen it; unknown waits do so as well"
    )
    func all() {
        let waits = Self.seconds(stride(from: 10, through: 100, by: 10))
        let ten = QuantileInterval(0.5, of: waits, served: 10, nil)
        #expect(ten.low == .seconds(38) && ten.high == .seconds(72))
        let part = QuantileInterval(0.5, of: waits, served: 50, nil)
        #expect(part.low == .seconds(18) && part.high == .seconds(92))
    }

    @Test(
        "of samples of people, it holds the quantile of all in 9 of 10 cases",
        arguments: [0.5, 0.9], [30, 70])
    func holds(share: Double, percent: Int) {
        var random = SplitMix64(seed: 11)
        let coverage = Coverage(CoverageSettings { $0.percent = percent })
        var held = 0
        for _ in 0..<1000 {
            // Waits of whole minutes: dates that are two seconds wrong decide nothing.
            let people = (0..<80).map { _ in Int64.random(in: 1..<1000, using: &random) * 60 }
            let known = people.filter { _ in
                Double.random(in: 0..<1, using: &random) < Double(percent) / 100 * 0.95
            }
            let rank = Int((share * Double(people.count)).rounded(.up))
            let quantile = Duration.seconds(people.sorted()[rank - 1])
            let interval = QuantileInterval(
                share, of: Self.seconds(known.sorted()), served: known.count, coverage)
            if interval.low ?? .zero <= quantile, quantile <= interval.high ?? .seconds(100_000) {
                held += 1
            }
        }
        #expect(held >= 890)
        // A passer-by beyond the few longest waits decides about their ends: the interval of p90 is wider.
        if share == 0.5 { #expect(held < 1000) }
    }

    @Test("of an hour's sum, it holds the quantile of any number of people", arguments: [0.5, 0.9])
    func holdsForSums(share: Double) {
        var random = SplitMix64(seed: 12)
        let quantile = Duration.milliseconds(Int64(share * 1_000_000))
        var held = 0
        for _ in 0..<1000 {
            let waits = (0..<60).map { _ in
                Duration.milliseconds(Int64.random(in: 0..<1_000_000, using: &random))
            }
            let interval = QuantileInterval(share, of: WaitHistogram(waits))
            if interval.low ?? .zero <= quantile, quantile <= interval.high ?? .seconds(1000) {
                held += 1
            }
        }
        #expect(held >= 900)
        // One wait more at each end, for a passer-by, holds nearly always at p90.
        if share == 0.5 { #expect(held < 1000) }
        #expect(QuantileInterval(0.5, of: WaitHistogram()).low == nil)
    }

    @Test("of many waits, the interval of a sum is narrow, and found at once")
    func many() throws {
        for count in [200, 300, 1 << 40] as [Int64] {
            let minutes = WaitHistogram(
                counts: Array(repeating: count / 100, count: 100), sum: 1, longest: 15_000)
            let interval = QuantileInterval(0.5, of: minutes)
            let (low, high) = (try #require(interval.low), try #require(interval.high))
            let median = try #require(minutes.quantile(0.5))
            #expect(low < median && median < high)
            #expect(high < low * 10)
        }
    }

    @Test("a sum knows each wait by its bin")
    func bins() {
        let waits = WaitHistogram([.seconds(10), .seconds(100), .seconds(100)])
        #expect(waits.range(ofRank: 1).contains(.seconds(10)))
        #expect(!waits.range(ofRank: 1).contains(.seconds(12)))
        for rank in 2...3 { #expect(waits.range(ofRank: rank).contains(.seconds(100))) }
    }
}
