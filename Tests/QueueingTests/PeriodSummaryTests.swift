import Facts
import JSON
import Primitives
import Testing

@testable import Queueing

@Suite("sums of minutes")
struct PeriodSummaryTests {
    private static func summaries(_ seed: UInt64, _ count: Int) -> [PeriodSummary] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in
            let waits = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                Duration.seconds(Int64.random(in: 0...3600, using: &random))
            }
            let sums = LineSums(
                personSeconds: .random(in: 0...600, using: &random), seconds: 60,
                longest: .random(in: 0...12, using: &random), joined: Int64(waits.count),
                abandoned: .random(in: 0...2, using: &random))
            let known = Duration.seconds(Int64.random(in: 0...60, using: &random))
            var scores = ForecastScores()
            for wait in waits {
                let record = ForecastRecord().summary
                scores.add(Forecast(wait: 300, low: 100, high: 900, record: record), actual: wait)
            }
            return PeriodSummary(
                QueuePeriod(
                    queue: "q", seconds: 0..<60, known: known, unseen: .zero,
                    isDoubtful: false, gateways: [],
                    line: LineStatistics(
                        sums: sums, atEnd: TagsInLine([], recall: 0.95),
                        waits: WaitStatistics(waits)),
                    forecast: nil, scores: scores, overTarget: .seconds(10), coverage: nil,
                    littleResidual: .zero))
        }
    }

    private static func merged(_ summaries: some Sequence<PeriodSummary>) -> PeriodSummary {
        summaries.reduce(into: PeriodSummary()) { $0.merge($1) }
    }

    @Test(
        "any grouping and any order of minutes gives the same sums",
        arguments: 1...5 as ClosedRange<UInt64>)
    func merge(seed: UInt64) {
        let minutes = Self.summaries(seed, 60)
        let whole = Self.merged(minutes)
        var random = SplitMix64(seed: seed)
        #expect(Self.merged(minutes.shuffled(using: &random)) == whole)
        let quarters = stride(from: 0, to: 60, by: 15).map { Self.merged(minutes[$0..<$0 + 15]) }
        #expect(Self.merged(quarters.reversed()) == whole)
        var other = PeriodSummary()
        other.merge(whole)
        #expect(other == whole)
    }

    @Test("a stored summary is read unchanged", arguments: 1...5 as ClosedRange<UInt64>)
    func stored(seed: UInt64) throws {
        let whole = Self.merged(Self.summaries(seed, 30))
        let text = Array(whole.stored.text.utf8)
        let read = try PeriodSummary(stored: JSON(parsing: text, maxBytes: 100_000))
        #expect(read == whole)
        #expect(read.json(0..<3_600_000) == whole.json(0..<3_600_000))
    }

    @Test("a row of an earlier version counts those whose wait is known as served")
    func earlier() throws {
        let whole = Self.merged(Self.summaries(1, 30))
        guard case .object(let members) = whole.stored else { return }
        let row = JSON.object(members.filter { $0.key != "served" })
        let read = try PeriodSummary(
            stored: JSON(parsing: Array(row.text.utf8), maxBytes: 100_000))
        #expect(read.served == read.waits.count)
        #expect(read.served > 0)
    }

    @Test("a damaged stored summary has its faults named")
    func damaged() {
        for text in [
            "{}", "[]", #"{"v":2}"#, #"{"v":1,"lengthMs":-1}"#,
            #"{"v":1,"lengthMs":0,"knownMs":0,"okMs":0,"personSeconds":0,"seconds":0,"longest":0,"joined":0,"#
                + #""abandoned":0,"overTargetMs":0,"waits":{"sum":1,"longest":1,"bins":[[500,1]]},"scores":[1]}"#,
        ] {
            do throws(Faults) {
                guard let json = try? JSON(parsing: Array(text.utf8), maxBytes: 1000) else {
                    continue
                }
                _ = try PeriodSummary(stored: json)
                Issue.record("\(text) was read")
            } catch {
                #expect(!error.list.isEmpty)
            }
        }
    }

    @Test(
        "a quantile of a histogram is wrong by 5 % at most",
        arguments: [1, 60, 900, 7200, 86_400] as [Int64], [0.5, 0.9, 0.99])
    func quantile(longest: Int64, share: Double) throws {
        var random = SplitMix64(seed: UInt64(longest))
        let waits = (0..<777).map { _ in Int64.random(in: 1...longest, using: &random) }
        // The exact quantile: the least wait that the share did not exceed.
        let exact = Double(waits.sorted()[Int((share * 777).rounded(.up)) - 1]) * 1000
        let histogram = WaitHistogram(waits.map { .seconds($0) })
        let estimate = Double(try #require(histogram.quantile(share)).milliseconds)
        #expect(abs(estimate - exact) <= 0.05 * exact)
    }

    @Test("minutes without knowledge add time, and no numbers")
    func unknown() {
        let unknown = Self.summaries(9, 40).filter { $0.state == .unknown }
        let sum = Self.merged(unknown)
        #expect(unknown.count > 5)
        #expect(sum.time.whole == .seconds(60 * unknown.count))
        #expect(sum.state == .unknown)
        #expect(sum.served == 0)
        #expect(sum.meanLength == nil)
        #expect(sum.json(0..<60_000)["joined"] == .null)
    }

    @Test("an hour whose minutes have no forecast does not know its time over the target")
    func overTarget() throws {
        let minute = { (overTarget: Duration?) in
            PeriodSummary(
                QueuePeriod(
                    queue: "q", seconds: 0..<60, known: .seconds(60), unseen: .zero,
                    isDoubtful: false, gateways: [],
                    line: LineStatistics(
                        sums: LineSums(seconds: 60), atEnd: TagsInLine([], recall: 0.95),
                        waits: WaitStatistics([])),
                    forecast: nil, scores: ForecastScores(), overTarget: overTarget,
                    coverage: nil, littleResidual: .zero))
        }
        let hour = { (minutes: [PeriodSummary]) throws -> JSON? in
            let merged = Self.merged(minutes)
            let read = try PeriodSummary(
                stored: JSON(parsing: Array(merged.stored.text.utf8), maxBytes: 10_000))
            #expect(read == merged)
            return read.json(0..<120_000)["overTargetMs"]
        }
        #expect(try hour([minute(nil), minute(nil)]) == .null)
        #expect(try hour([minute(nil), minute(.zero)]) == 0)
        #expect(try hour([minute(.seconds(20)), minute(nil)]) == 20_000)
    }

    @Test("an hour of empty lines that no gateway at a till can see is unknown, and never says 0")
    func blind() {
        var states = GatewayTime(gateway: "entry")
        states.add(GatewaySecond(heard: .seconds(1)), count: 60)
        var blind = GatewayTime(gateway: "till-2")
        blind.add(GatewaySecond(deaf: .seconds(1)), count: 60)
        // Entry and one till hear; the other till does not, so that its area may have people.
        let minute = QueuePeriod(
            queue: "q", seconds: 0..<60, known: .seconds(60), unseen: .zero, isDoubtful: false,
            gateways: [states, states, blind],
            line: LineStatistics(
                sums: LineSums(seconds: 60), atEnd: TagsInLine([], recall: 0.95),
                waits: WaitStatistics([])),
            forecast: nil, scores: ForecastScores(), overTarget: .zero, coverage: nil,
            littleResidual: .zero)
        #expect(minute.state == .unknown)
        let hour = Self.merged(Array(repeating: PeriodSummary(minute), count: 60))
        #expect(hour.state == .unknown)
        let json = hour.json(0..<3_600_000)
        for key in ["length", "joined", "served", "abandoned", "waits"] {
            #expect(json[key] == .null, "\(key)")
        }
    }
}
