import Facts
import Foundation
import JSON
import Primitives
import Sightings
import Testing

@testable import Queueing

@Suite("results follow from the messages alone")
struct DeterminismTests {
    /// Everything that two runs over the same messages must agree about, to the last bit. Pseudonyms are of a run.
    private struct Outcome: Equatable {
        let lines: [String]
        let levels: LearntLevels
        let coverage: [Coverage?]
        let counts: [TagCounts]

        init(_ results: [QueueEstimator.Result], _ estimator: QueueEstimator, _ now: [QueueNow]) {
            levels = estimator.learntLevels
            coverage = now.map(\.coverage)
            counts = estimator.counts
            // Queues are independent.
            lines = now.map(\.queue).sorted().flatMap { queue in
                results.compactMap { result -> String? in
                    switch result {
                    case .visit(let visit) where visit.queue == queue:
                        "\(visit.json(site: "s").text) \(visit.logOdds) \(visit.till ?? -1)"
                    case .period(let period) where period.queue == queue:
                        period.json(site: "s", rev: 1, isFinal: true).text + " "
                            + "\(period.forecast?.wait ?? 0) \(period.line.atEnd.probabilities)"
                    default: nil
                    }
                }
            }
        }
    }

    /// A message on its way, or a receipt.
    private struct Delivery {
        let time: UnixTime
        let message: Scene.Message?
        var receipt: (receipt: Receipt, queue: String)?
    }

    private static let lateness = Duration.seconds(150)
    private static let end = Scene.second(RandomSite.seconds + 780)

    /// Thousands take minutes: `SIGHTLINE_FAULT_RUNS=2000`.
    private static let runs =
        ProcessInfo.processInfo.environment["SIGHTLINE_FAULT_RUNS"].flatMap { UInt64($0) } ?? 2

    private func estimator(_ layout: SiteLayout) -> QueueEstimator {
        QueueEstimator(layout, allowedLateness: Self.lateness, learning: .seconds(60))
    }

    /// Everything in its order, folded at once.
    private func undisturbed(_ site: RandomSite) -> Outcome {
        var estimator = estimator(site.layout)
        for (message, _) in site.messages {
            _ = estimator.take(message.window, from: message.gateway)
        }
        for one in site.receipts { _ = estimator.take(one.receipt, queue: one.queue) }
        estimator.advance(through: Self.end)
        let now = estimator.now
        return Outcome(estimator.finish(), estimator, now)
    }

    /// Each message arrives before it is late, some of them again at any later time; and so do receipts.
    private func deliveries(_ site: RandomSite, _ random: inout SplitMix64) -> [Delivery] {
        let last = Self.end.start
        let cut = site.layout.gateways.randomElement(using: &random)
        let cutFrom = Scene.second(.random(in: 0..<RandomSite.seconds, using: &random)).start
        let cutUntil = cutFrom + .seconds(.random(in: 10...130, using: &random))
        var deliveries: [Delivery] = []
        for (message, since) in site.messages {
            let span = message.window.span
            let latest = since + Self.lateness
            let most =
                Int.random(in: 0..<4, using: &random) == 0 ? latest : span.upperBound + .seconds(4)
            var time = UnixTime(
                milliseconds: .random(
                    in: span.upperBound.milliseconds...most.milliseconds, using: &random))
            if message.gateway == cut, time >= cutFrom { time = max(time, min(cutUntil, latest)) }
            deliveries.append(Delivery(time: time, message: message))
            if Int.random(in: 0..<10, using: &random) == 0 {
                let again = Int64.random(
                    in: time.milliseconds...max(time, last).milliseconds, using: &random)
                deliveries.append(
                    Delivery(time: UnixTime(milliseconds: again), message: message))
            }
        }
        for one in site.receipts {
            let time = Int64.random(
                in: one.receipt.time.milliseconds...last.milliseconds, using: &random)
            deliveries.append(
                Delivery(time: UnixTime(milliseconds: time), message: nil, receipt: one))
        }
        return deliveries.sorted { $0.time < $1.time }
    }

    private func limit(_ random: inout SplitMix64) -> Duration? {
        [nil, .seconds(1), .seconds(7), .seconds(90)].randomElement(using: &random) ?? nil
    }

    /// Hands over windows that the estimator has given up, as a store does: some of them.
    private func restore(
        _ stored: [Scene.Message], to estimator: inout QueueEstimator,
        _ random: inout SplitMix64
    ) {
        guard let wanted = estimator.wanted else { return }
        let found = stored.filter { wanted.contains($0.window.span.lowerBound) }
            .sorted { $0.window < $1.window }
        let last = found.map(\.window.span.lowerBound)
            .first { _ in Int.random(in: 0..<20, using: &random) == 0 }
        let end = last.map { max($0, wanted.lowerBound + .milliseconds(1)) } ?? wanted.upperBound
        estimator.restore(
            found.filter { $0.window.span.lowerBound < end }.map { ($0.gateway, $0.window) },
            in: wanted.lowerBound..<end)
    }

    /// The same messages with other pseudonyms in another order, with calls in between. The process may be killed once: then
    /// the stored windows are folded again. Windows that wait are given up, and handed over again.
    private func disturbed(_ site: RandomSite, _ random: inout SplitMix64) -> Outcome {
        let key = random.next()
        let deliveries = deliveries(site, &random)
        let killed = Int.random(in: 0..<2 * deliveries.count, using: &random)
        var estimator = estimator(site.layout)
        var results: [QueueEstimator.Result] = []
        var stored: [Scene.Message] = []
        for (index, delivery) in deliveries.enumerated() {
            if index == killed {
                (estimator, results) = recovered(site, stored, deliveries[..<index])
            }
            if let message = delivery.message {
                let window = Scene.renamed(message.window) { SplitMix64.mix($0 ^ key) }
                let outcome = estimator.take(window, from: message.gateway)
                if outcome == .new {
                    stored.append(Scene.Message(gateway: message.gateway, window: window))
                }
            } else if let one = delivery.receipt {
                _ = estimator.take(one.receipt, queue: one.queue)
            }
            switch Int.random(in: 0..<200, using: &random) {
            case 0..<60:
                restore(stored, to: &estimator, &random)
                results += estimator.advance(atMost: limit(&random))
            case 61..<70:
                let lag = Duration.seconds(.random(in: 0...120, using: &random))
                estimator.release(before: delivery.time - lag, ifAbove: 0)
            case 60:
                let offline = site.layout.gateways.filter { _ in Bool.random(using: &random) }
                estimator.advance(
                    through: UnixSecond(containing: delivery.time), offline: Set(offline),
                    atMost: limit(&random))
            default: break
            }
        }
        for second in 0..<60 {
            repeat {
                restore(stored, to: &estimator, &random)
                estimator.advance(through: Self.end.advanced(by: second - 59))
            } while estimator.wanted != nil
        }
        let now = estimator.now
        repeat {
            restore(stored, to: &estimator, &random)
            results += estimator.finish(atMost: limit(&random))
        } while estimator.isBehind
        return Outcome(results, estimator, now)
    }

    /// The estimator of a server that starts with these windows in its store.
    private func recovered(
        _ site: RandomSite, _ stored: [Scene.Message], _ before: ArraySlice<Delivery>
    ) -> (QueueEstimator, [QueueEstimator.Result]) {
        var estimator = estimator(site.layout)
        var results: [QueueEstimator.Result] = []
        for one in before.compactMap(\.receipt) {
            _ = estimator.take(one.receipt, queue: one.queue)
        }
        for message in stored.sorted(by: { $0.window < $1.window }) {
            _ = estimator.take(message.window, from: message.gateway)
            results += estimator.advance(atMost: .seconds(10))
        }
        return (estimator, results)
    }

    @Test("any order, pseudonyms, calls and restarts give the same final results")
    func orders() throws {
        var visits = 0
        for seed in 1...Self.runs {
            let site = try RandomSite(seed: seed)
            let expected = undisturbed(site)
            visits += expected.lines.count { $0.contains(#""kind":"visit""#) }
            for run in 0..<2 as Range<UInt64> {
                var random = SplitMix64(seed: seed << 8 | run)
                let results = disturbed(site, &random)
                guard results != expected else { continue }
                let difference = zip(results.lines, expected.lines).first { $0 != $1 }
                Issue.record(
                    "seed \(seed), run \(run): \(difference.map { "\($0)\n\($1)" } ?? "levels or coverage")"
                )
            }
        }
        #expect(visits > 20 * Int(Self.runs))
    }

    @Test("a loss at the end of a day is the same after a restart on the next day")
    func dayBefore() throws {
        var first = QueueEstimator(try Scene.layout(), learning: .zero)
        for second in 0..<5 as Range<Int64> {
            for gateway in ["entry", "till"] { _ = first.take(Scene.window(second), from: gateway) }
        }
        _ = first.finish()
        let loss = Loss(batches: 3, fromSeq: 5, toSeq: 7, reason: .outboxFull)
        let results = try [first.watermarks, [:]].map { watermarks in
            var next = QueueEstimator(try Scene.layout(), watermarks: watermarks, learning: .zero)
            for second in 5..<90 as Range<Int64> {
                _ = next.take(Scene.window(second), from: "entry")
                guard second >= 8 else { continue }
                _ = next.take(Scene.window(second, lost: second == 8 ? loss : nil), from: "till")
            }
            return next.finish()
        }
        #expect(results[0] == results[1])
        #expect(results[0].periods.count == 2)
    }

    @Test(
        "the order of queues in the configuration changes no result",
        arguments: [1, 2, 3] as [UInt64])
    func queues(seed: UInt64) throws {
        let site = try RandomSite(seed: seed)
        let expected = undisturbed(site)
        var reordered = site
        reordered.layout = try RandomSite.layout(queues: [2, 0, 1])
        #expect(undisturbed(reordered).lines == expected.lines)
    }
}
