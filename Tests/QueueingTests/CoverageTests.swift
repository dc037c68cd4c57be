import Facts
import Foundation
import JSON
import Primitives
import Testing

@testable import Queueing

@Suite("the share of people with a beacon")
struct CoverageTests {
    @Test(
        "the beta distribution of whole numbers is a binomial sum",
        arguments: [(1, 1), (2, 5), (17, 4), (60, 140)], [0.02, 0.3, 0.5, 0.93])
    func beta(shape: (alpha: Int, beta: Int), value: Double) {
        // I_x(a, b) is the probability of a or more successes in a + b − 1 trials (Abramowitz, Stegun 26.5.24).
        let trials = shape.alpha + shape.beta - 1
        let sum = (shape.alpha...trials).reduce(0.0) { sum, successes in
            let choose = (0..<successes).reduce(1.0) {
                $0 * Double(trials - $1) / Double(successes - $1)
            }
            return sum + choose * pow(value, Double(successes))
                * pow(1 - value, Double(trials - successes))
        }
        let distribution = BetaDistribution(
            alpha: Double(shape.alpha), beta: Double(shape.beta))
        #expect(abs(distribution.cumulative(value) - sum) < 1e-9)
        #expect(abs(distribution.cumulative(distribution.quantile(0.05)) - 0.05) < 1e-6)
    }

    @Test("the logarithm of Γ is a sum of logarithms, for whole numbers and halves")
    func gamma() {
        // Γ(x + 1) = x Γ(x), Γ(1) = 1, Γ(1/2) = √π (Abramowitz, Stegun 6.1.8, 6.1.15).
        for start in [1.0, 0.5] {
            var sum = start == 1 ? 0 : log(Double.pi) / 2
            for number in 0..<2000 {
                let value = Double(number) + start
                #expect(abs(logGamma(value) - sum) < 1e-13 * max(1, abs(sum)) + 1e-13)
                sum += log(value)
            }
        }
    }

    @Test("the interval holds the true share about nine times of ten")
    func interval() throws {
        var random = SplitMix64(seed: 4)
        let share = 0.3
        let hits = (0..<400).count { _ in
            let tags = (0..<200).count { _ in Double.random(in: 0..<1, using: &random) < share }
            guard let coverage = Coverage(people: 200, tags: Int64(tags), prior: nil) else {
                return false
            }
            // The estimate corrects for the estimator's recall and precision.
            let scale = Recognition.usual / LengthInterval.precision
            return coverage.low * scale <= share && share <= coverage.high * scale
        }
        #expect((340...380).contains(hits), "\(hits) of 400")
    }

    @Test("receipts change the coverage of the present, in any order, and no final result")
    func receipts() throws {
        let walks = (0..<30).map { (index: Int64) in
            Scene.Walk(tag: UInt64(index + 1), joined: 60 + index * 61, left: 150 + index * 61)
        }
        let messages = Scene.messages(walks, seconds: 0..<2200, seed: 7)
        // Each minute, the till counts three people, of whom one has a tag.
        let receipts = stride(from: 60, to: 2000 as Int64, by: 61).map {
            Receipt(till: "till", count: 3, at: Scene.second($0))
        }
        let run = { (receipts: [Receipt]) throws -> (QueueNow, [QueueEstimator.Result]) in
            var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
            for receipt in receipts { #expect(estimator.take(receipt, queue: "q") == .new) }
            for message in messages { _ = estimator.take(message.window, from: message.gateway) }
            _ = estimator.advance()
            estimator.advance(through: Scene.second(2200))
            return (estimator.now[0], estimator.finish())
        }
        let (now, results) = try run(receipts)
        let coverage = try #require(now.coverage)
        #expect(coverage.source == .receipts)
        #expect(coverage.low < 1.0 / 3 && 1.0 / 3 < coverage.high)
        #expect(coverage.high - coverage.low < 0.25)
        #expect(try run(receipts.reversed()).0 == now)
        let (plain, others) = try run([])
        #expect(plain.coverage == nil)
        #expect(others == results)
    }

    @Test("of two counts of one second, the larger one counts, in any order")
    func contradiction() throws {
        let counts = { (order: [Int64]) in
            var ledger = ReceiptLedger(tills: 1)
            _ = ledger.take(1, till: 0, at: 0)
            let outcomes = order.map { ledger.take($0, till: 0, at: 60) }
            return (outcomes, ledger.totals(before: 1000).people)
        }
        #expect(counts([30, 40, 30]) == ([true, true, false], 40))
        #expect(counts([40, 30, 40]) == ([true, false, false], 40))
    }

    @Test("people whom the tills count while no gateway hears for long are not compared")
    func silence() throws {
        let walks = (0..<30).map { (index: Int64) in
            Scene.Walk(tag: UInt64(index + 1), joined: 60 + index * 61, left: 150 + index * 61)
        }
        // Everybody has a tag; then all gateways are silent for an hour, and the tills go on.
        let messages = Scene.messages(walks, seconds: 0..<2200, seed: 7)
        let later = Scene.messages([], seconds: 5800..<7000, seed: 8)
        var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
        for second in stride(from: 60, to: 5700 as Int64, by: 61)
        where !(1950..<2260).contains(second) {
            _ = estimator.take(
                Receipt(till: "till", count: 1, at: Scene.second(second)), queue: "q")
        }
        for message in messages + later {
            _ = estimator.take(message.window, from: message.gateway)
        }
        estimator.advance(through: Scene.second(7000))
        let coverage = try #require(estimator.now[0].coverage)
        #expect(coverage.share > 0.9)
    }

    @Test("people whom a till counts while its gateway is deaf are not compared; others are")
    func deafTill() throws {
        let text = """
            {"sites":[{"site":"s","queues":[{"queue":"q","entry":["entry"],"till":["till","other"]}]}]}
            """
        let layout = try QueueConfiguration(parsing: Array(text.utf8)).sites[0]
        let walks = (0..<30).map { (index: Int64) in
            Scene.Walk(tag: UInt64(index + 1), joined: 60 + index * 61, left: 150 + index * 61)
        }
        // Everybody has a tag. Nobody hears those who are served at the other till.
        var estimator = QueueEstimator(layout, learning: .zero)
        for second in stride(from: 60, to: 2000 as Int64, by: 61) {
            for till in layout.queues[0].till {
                let receipt = Receipt(till: till, count: 1, at: Scene.second(second))
                #expect(estimator.take(receipt, queue: "q") == .new)
            }
        }
        for message in Scene.messages(walks, seconds: 0..<2700, seed: 7) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        for second in 0..<2700 as Range<Int64> {
            _ = estimator.take(Scene.window(second, state: .deaf), from: "other")
        }
        estimator.advance(through: Scene.second(2700))
        let coverage = try #require(estimator.now[0].coverage)
        #expect(coverage.share > 0.9)
    }

    @Test("the totals of receipts are those of a count of each span, in any order of what comes")
    func totals() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<200 {
            let second = { (random: inout SplitMix64) in
                UnixSecond(Int64.random(in: 0..<3000, using: &random))
            }
            let receipts = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                (at: second(&random), count: Int64.random(in: 0..<9, using: &random))
            }
            let leavers = (0..<60).map { _ in second(&random) }
            let starts = (0..<Int.random(in: 0..<6, using: &random)).map { _ in second(&random) }
            let unknown = Set(starts.flatMap { $0..<$0 + .seconds(5) }).sorted()
            var ledger = ReceiptLedger(tills: 1)
            for receipt in receipts { _ = ledger.take(receipt.count, till: 0, at: receipt.at) }
            for leaver in leavers { ledger.add(leaver: leaver, till: 0) }
            for second in unknown { ledger.add(unknown: second..<second.next) { $0 == 0 } }
            // Of the receipts of one second, the largest one counts.
            let counts = Dictionary(receipts.map { ($0.at, $0.count) }, uniquingKeysWith: max)
            let times = counts.keys.sorted()
            for end in stride(from: 0 as UnixSecond, to: 4500, by: 250) {
                var people: Int64 = 0
                var tags = 0
                for (from, to) in zip(times, times.dropFirst()) where end - to >= .seconds(720) {
                    guard !unknown.contains(where: { from <= $0 && $0 < to }) else { continue }
                    people += counts[to] ?? 0
                    tags += leavers.count { from <= $0 && $0 < to }
                }
                #expect(ledger.totals(before: end) == (people, Int64(tags)))
            }
        }
    }

    @Test("people whose stays are not judged yet are not compared")
    func judgement() throws {
        // One person waits for long: the others who leave then are judged ten minutes later.
        let walks =
            [Scene.Walk(tag: 99, joined: 1290, left: 5000)]
            + (0..<30).map { (index: Int64) in
                Scene.Walk(tag: UInt64(index + 1), joined: 60 + index * 61, left: 150 + index * 61)
            }
        var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
        for walk in walks.dropFirst() {
            _ = estimator.take(
                Receipt(till: "till", count: 1, at: Scene.second(walk.left + 5)), queue: "q")
        }
        for message in Scene.messages(walks, seconds: 0..<2100, seed: 7) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        estimator.advance(through: Scene.second(2100))
        let coverage = try #require(estimator.now[0].coverage)
        #expect(coverage.share > 0.9)
    }

    @Test("repeated, foreign and faulty receipts are recognised")
    func faults() throws {
        var estimator = QueueEstimator(try Scene.layout())
        let receipt = try Receipt(
            parsing: Array(#"{"v":1,"till":"till","count":3,"at":1780002000000}"#.utf8))
        #expect(receipt == Receipt(till: "till", count: 3, at: 1_780_002_000))
        let outcomes = [
            estimator.take(receipt, queue: "q"), estimator.take(receipt, queue: "q"),
            estimator.take(receipt, queue: "other"),
            estimator.take(Receipt(till: "entry", count: 1, at: 1), queue: "q"),
        ]
        #expect(outcomes == [.new, .repeated, .foreign, .foreign])
        for text in ["", "[]", #"{"v":1,"till":"t","count":-1,"at":0}"#, #"{"v":1}"#] {
            do throws(Faults) {
                _ = try Receipt(parsing: Array(text.utf8))
                Issue.record("\(text) was read")
            } catch {
                #expect(!error.list.isEmpty)
            }
        }
    }
}
