import Facts
import Foundation
import JSON
import Primitives
import Sightings
import Testing

@testable import Queueing

extension LiveTests {
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
        /// After the last fault, the gateways hear for some time: no doubt is left.
        static let calm: Int64 = 120
        let walks: [Scene.Walk]
        let deliveries: [Delivery]
        let faults: Int
        /// When the broker reports a gateway as offline: at the times of faults that end the connection, and at others by mistake.
        let offline: [(gateway: String, seconds: Range<Int64>)]

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
            offline = zip(["entry", "till"], faults).flatMap { gateway, faults in
                faults.filter { ![.deaf, .lost].contains($0.kind) }.map {
                    let delay = Int64.random(in: 0...20, using: &random)
                    return (gateway, $0.seconds.lowerBound + delay..<$0.seconds.upperBound + delay)
                }
            }
            let messages = Scene.messages(
                self.walks, seconds: 0..<Self.length + Self.calm, seed: seed)
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

        /// The gateways that are offline at `second`.
        func offline(at second: Int64) -> Set<String> {
            Set(offline.filter { $0.seconds.contains(second) }.map(\.gateway))
        }

        /// The tags that have waited for a while at `second`, and still wait.
        func waiting(at second: Int64) -> [UInt64] {
            walks.filter { $0.joined + 30 <= second && second < $0.left - 3 }.map(\.tag)
        }
    }

    /// 10,000 faults take minutes: `SIGHTLINE_FAULT_RUNS=300`.
    static let runs =
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
            var estimator = QueueEstimator(try Scene.layout(), learning: .zero)
            var next = 0
            var finals: [QueueEstimator.Result] = []
            for second in 1...Run.length + Run.calm {
                while next < run.deliveries.count, run.deliveries[next].second <= second {
                    let message = run.deliveries[next].message
                    _ = estimator.take(message.window, from: message.gateway)
                    next += 1
                }
                finals += estimator.advance()
                estimator.advance(
                    through: Scene.second(second), offline: run.offline(at: second),
                    atMost: .seconds(300))
                let now = try #require(estimator.now.first)
                guard let at = now.at else { continue }
                let offset = Int64(Scene.start.distance(to: at))
                let waiting = run.waiting(at: offset)
                let minute = estimator.provisional.last { $0.seconds.upperBound == at }
                let lengths = [now.line?.tags, minute.flatMap(Self.lengthAtEnd)].compactMap(\.self)
                if now.line == nil, lengths == [0] {
                    Issue.record("seed \(seed), second \(offset): 0 while the queue is unknown")
                }
                statements += lengths.count
                if !waiting.isEmpty, lengths.contains(0) {
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
            for period in finals.periods where Self.lengthAtEnd(period) == 0 {
                let offset = Int64(Scene.start.distance(to: period.seconds.upperBound))
                let waiting = run.waiting(at: offset)
                if !waiting.isEmpty {
                    Issue.record("seed \(seed), final, second \(offset): 0 while \(waiting) wait")
                }
            }
            #expect(finals == (try Self.undisturbed(run)), "seed \(seed)")
            #expect(finals.periods.allSatisfy { $0.littleResidual == .zero })
        }
        #expect(faults > 20 * Int(Self.runs))
        #expect(statements > 400 * Int(Self.runs))
    }

    /// `nil` for a minute without knowledge.
    private static func lengthAtEnd(_ minute: QueuePeriod) -> Int? {
        minute.state == .unknown ? nil : minute.line.lengthAtEnd
    }

    /// The final results of the same messages in one delivery.
    private static func undisturbed(_ run: Run) throws -> [QueueEstimator.Result] {
        try Scene.results(run.deliveries.map(\.message).reversed())
    }
}
