import Foundation
import JSON
import Primitives
import Sightings
import Testing

@testable import Queueing

@Suite("the live results")
struct LiveTests {
    /// How a gateway fails for a time.
    enum Fault: CaseIterable {
        case deaf, silent, lost, late, restarted
    }

    /// A message with the second of its arrival.
    struct Delivery {
        let second: Int64
        let message: Scene.Message
    }

    /// Seven visits, some of them alone in line, and faults of both gateways from a seed.
    struct Run {
        static let length: Int64 = 900
        let walks: [Scene.Walk]
        let deliveries: [Delivery]
        let faults: Int

        init(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            var walks: [Scene.Walk] = []
            var joined: Int64 = 40
            for tag in 1...7 as ClosedRange<UInt64> {
                let left = joined + Int64.random(in: 60...160, using: &random)
                walks.append(Scene.Walk(tag: tag, joined: joined, left: left))
                joined += Int64.random(in: 40...140, using: &random)
            }
            let faults = ["entry", "till"].map { Self.faults(&random, of: $0) }
            // All visits end within the run, so that all minutes are decided.
            self.walks = walks.filter { $0.left < Self.length - 120 }
            self.faults = faults.reduce(0) { $0 + $1.count }
            let messages = Scene.messages(self.walks, seconds: 0..<Self.length, seed: seed)
            deliveries = zip(["entry", "till"], faults).flatMap { gateway, faults in
                Self.deliver(messages.filter { $0.gateway == gateway }, faults, &random)
            }.sorted { $0.second < $1.second }
        }

        private static func faults(
            _ random: inout SplitMix64, of gateway: String
        ) -> [(kind: Fault, seconds: Range<Int64>)] {
            var faults: [(Fault, Range<Int64>)] = []
            var start = Int64.random(in: 5...80, using: &random)
            while start < length - 60 {
                let longest: Int64 = Bool.random(using: &random) ? 6 : 60
                let end = start + Int64.random(in: 1...longest, using: &random)
                faults.append((Fault.allCases.randomElement(using: &random) ?? .deaf, start..<end))
                start = end + Int64.random(in: 5...120, using: &random)
            }
            return faults
        }

        private static func deliver(
            _ messages: [Scene.Message], _ faults: [(kind: Fault, seconds: Range<Int64>)],
            _ random: inout SplitMix64
        ) -> [Delivery] {
            var deliveries: [Delivery] = []
            var session = "a"
            var loss: Loss?
            for message in messages {
                let start = UnixSecond(containing: message.window.span.lowerBound)
                let second = Int64(Scene.start.distance(to: start))
                let fault = faults.first { $0.seconds.contains(second) }
                let isFirst = fault?.seconds.lowerBound == second
                var arrival = second + 1
                switch fault?.kind {
                case .silent: continue
                case .restarted:
                    if isFirst { session += "a" }
                    continue
                case .lost:
                    loss = Loss(
                        batches: UInt64(second - (fault?.seconds.lowerBound ?? 0) + 1),
                        fromSeq: UInt64(fault?.seconds.lowerBound ?? 0), toSeq: UInt64(second),
                        reason: .outboxFull)
                    continue
                case .late: arrival = (fault?.seconds.upperBound ?? 0) + Int64(second % 3)
                case .deaf, nil: break
                }
                let window = WindowFact(
                    session: session, numbers: message.window.numbers, span: message.window.span,
                    state: fault?.kind == .deaf ? .deaf : .hearing, lost: loss,
                    readings: fault?.kind == .deaf ? [] : message.window.readings)
                loss = nil
                deliveries.append(
                    Delivery(
                        second: arrival,
                        message: Scene.Message(gateway: message.gateway, window: window)))
            }
            return deliveries
        }

        /// The tags that have waited for a while at `second`, and still wait.
        func waiting(at second: Int64) -> [UInt64] {
            walks.filter { $0.joined + 30 <= second && second < $0.left - 3 }.map(\.tag)
        }
    }

    /// 10,000 faults take minutes: `SIGHTLINE_FAULT_RUNS=300`.
    private static let runs =
        ProcessInfo.processInfo.environment["SIGHTLINE_FAULT_RUNS"].flatMap { UInt64($0) } ?? 12

    @Test(
        "in random faults, no statement says 0 people while people wait, and live minutes become the final ones"
    )
    func faults() throws {
        var faults = 0
        var statements = 0
        for seed in 1...Self.runs {
            let run = Run(seed: seed)
            faults += run.faults
            var estimator = SiteEstimator(try Scene.layout(), learning: .zero)
            var next = 0
            var finals: [SiteEstimator.Result] = []
            for second in 1...Run.length + 120 {
                while next < run.deliveries.count, run.deliveries[next].second <= second {
                    let message = run.deliveries[next].message
                    _ = estimator.take(message.window, from: message.gateway)
                    next += 1
                }
                finals += estimator.advance()
                estimator.advance(through: Scene.second(second), atMost: .seconds(300))
                let now = try #require(estimator.now.first)
                guard let at = now.at, let line = now.line else { continue }
                statements += 1
                let offset = Int64(Scene.start.distance(to: at))
                let waiting = run.waiting(at: offset)
                if !waiting.isEmpty, line.tags == 0 {
                    Issue.record("seed \(seed), second \(offset): 0 while \(waiting) wait")
                }
            }
            let live = estimator.provisional
            finals += estimator.finish()
            let byStart = Dictionary(
                finals.periods.map { ($0.seconds, $0) }, uniquingKeysWith: { $1 })
            for period in live where period.seconds.upperBound <= Scene.second(Run.length) {
                #expect(byStart[period.seconds] == period, "seed \(seed)")
            }
            #expect(finals == (try Self.undisturbed(run)), "seed \(seed)")
            #expect(finals.periods.allSatisfy { $0.littleResidual == .zero })
        }
        #expect(faults > 20 * Int(Self.runs))
        #expect(statements > 200 * Int(Self.runs))
    }

    /// The final results of the same messages in one delivery.
    private static func undisturbed(_ run: Run) throws -> [SiteEstimator.Result] {
        try Scene.results(run.deliveries.map(\.message).reversed())
    }

    @Test("before the first message, a queue is unknown, and all its gateways are the reason")
    func beforeFirst() throws {
        var estimator = SiteEstimator(try Scene.layout())
        estimator.advance(through: Scene.start)
        let now = try #require(estimator.now.first)
        #expect(now.state == .unknown)
        #expect(now.line == nil)
        #expect(
            now.json(site: "s", rev: 1, isDurable: true)["reasons"] == [
                ["gateway": "entry", "state": "unknown", "since": .null, "until": .null],
                ["gateway": "till", "state": "unknown", "since": .null, "until": .null],
            ])
    }

    @Test("a gateway that dies makes the queue unknown within twenty seconds, and it recovers")
    func death() throws {
        let walks = [Scene.Walk(tag: 1, joined: 100, left: 400)]
        let messages = Scene.messages(walks, seconds: 0..<600, seed: 3) { gateway, second in
            gateway == "till" && (200..<260).contains(second) ? nil : .hearing
        }
        var estimator = SiteEstimator(try Scene.layout(), learning: .zero)
        var states: [Int64: QueueNow] = [:]
        for second in 0..<600 as Range<Int64> {
            for message in messages
            where message.window.span.lowerBound == Scene.second(second).start {
                _ = estimator.take(message.window, from: message.gateway)
            }
            estimator.advance(through: Scene.second(second + 1))
            states[second] = estimator.now[0]
        }
        #expect(states[150]?.state == .ok)
        #expect(states[150]?.line?.tags == 1)
        let dead = try #require(states[220])
        #expect(dead.state == .unknown)
        #expect(dead.line == nil)
        let begin = Scene.second(200)
        #expect(
            dead.reasons == [.init(gateway: "till", state: .unknown, since: begin, until: nil)])
        // It hears again, and must do so for 30 s.
        let end = Scene.second(260)
        #expect(
            states[275]?.reasons == [
                .init(gateway: "till", state: .unknown, since: begin, until: end)
            ])
        #expect(states[320]?.state == .ok)
        #expect(states[320]?.line?.tags == 1)
        #expect(states[590]?.line?.tags == 0)
        let strip = try #require(estimator.strips.first { $0.gateway == "till" })
        #expect(strip.runs.first?.state == .empty)
        #expect(strip.runs.contains { $0.state == .heard })
        #expect(
            strip.runs.first { $0.state == .unknown }?.seconds
                == Scene.second(200)..<Scene.second(260))
    }

    @Test("the trend counts people: tags divided by the share of people with a beacon")
    func trend() throws {
        let messages = Scene.messages(
            [Scene.Walk(tag: 1, joined: 100, left: 300)], seconds: 0..<420, seed: 3)
        let trends = try ["", #","coverage":{"percent":25}"#].map { coverage in
            var estimator = SiteEstimator(try Scene.layout(more: coverage), learning: .zero)
            for message in messages { _ = estimator.take(message.window, from: message.gateway) }
            estimator.advance(through: Scene.second(420))
            return estimator.now[0].trend.map { $0.length ?? 0 }
        }
        #expect(trends[0].contains(1))
        #expect(trends[1] == trends[0].map { $0 * 4 })
    }

    @Test("a strip of a past time: hearing, deaf, lost, and seconds of which nothing is known")
    func pastStrip() {
        let windows = (0..<10).map { second in
            Scene.window(
                second, state: second == 5 ? .deaf : .hearing,
                powers: second == 3 ? [(tag: 1, power: -60)] : [])
        }
        var past = PastStrip(gateway: "till", from: Scene.second(-2))
        for (second, window) in windows.enumerated() {
            past.take(window)
            // The window may be followed by others that start in the same second.
            past.advance(to: Scene.second(Int64(second)))
        }
        past.advance(to: Scene.second(12))
        let runs = past.strip.runs.map {
            "\(Scene.start.distance(to: $0.seconds.lowerBound)) \($0.state)"
        }
        #expect(
            runs == [
                "-2 unknown", "0 empty", "3 heard", "4 empty", "5 deaf", "6 empty", "10 unknown",
            ])
    }

    @Test("a message about a passed second changes the live results")
    func late() throws {
        let walk = Scene.Walk(tag: 1, joined: 100, left: 300)
        let messages = Scene.messages([walk], seconds: 0..<200, seed: 3)
        var estimator = SiteEstimator(try Scene.layout(), learning: .zero)
        for message in messages where message.gateway == "till" {
            _ = estimator.take(message.window, from: message.gateway)
        }
        estimator.advance(through: Scene.second(200))
        #expect(estimator.now[0].state == .unknown)
        for message in messages where message.gateway == "entry" {
            _ = estimator.take(message.window, from: message.gateway)
        }
        // Older messages are taken at a bounded pace.
        estimator.advance(through: Scene.second(231))
        #expect(estimator.now[0].trend.compactMap(\.length).count >= 3)
    }
}
