import Foundation
import Posix
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("killed during a change")
    struct KillingTests {
        private static let gateways = 4
        private static let kills = 100
        private static let seed: UInt64 = 20_261

        /// Runs the work of all gateways in parallel.
        private func outcomes(
            _ broker: Broker, _ deadPort: UInt16
        ) throws -> [KilledGateway.Outcome] {
            let gateways = try (0..<Self.gateways).map {
                try KilledGateway(broker, deadPort: deadPort, number: $0, seed: Self.seed)
            }
            let results = Guarded<[Result<[KilledGateway.Outcome], TestFailure>]>([])
            let group = DispatchGroup()
            for gateway in gateways {
                group.enter()
                Foundation.Thread.detachNewThread {
                    let result = Self.kill(gateway)
                    results.withLock { $0.append(result) }
                    group.leave()
                }
            }
            group.wait()
            return try results.withLock { $0 }.flatMap { try $0.get() }
        }

        private static func kill(
            _ gateway: KilledGateway
        ) -> Result<[KilledGateway.Outcome], TestFailure> {
            var outcomes: [KilledGateway.Outcome] = []
            do {
                for kill in 0..<kills / gateways {
                    outcomes.append(try gateway.killOnce(isAlone: kill % 4 == 3))
                }
                return .success(outcomes)
            } catch {
                return .failure(TestFailure("\(gateway.id), \(outcomes.count): \(error)"))
            }
        }

        @Test("after 100 kills, the identity is the old or the new one, and reported")
        func aHundredTimes() throws {
            let broker = try Broker()
            let outcomes = try outcomes(broker, try Ports.free())
            #expect(outcomes.count == Self.kills)
            // The number of kills for each progress.
            let stations = outcomes.map { outcome in
                switch (outcome.commands, outcome.isNew) {
                case (0, _): "before"
                case (1...3, false): "between commands"
                case (_, false): "old, all commands sent"
                default: outcome.wasReported ? "reported" : "new, not reported"
                }
            }
            let histogram = Dictionary(stations.map { ($0, 1) }, uniquingKeysWith: +)
            #expect(histogram["before", default: 0] >= 5, "\(histogram)")
            #expect(histogram["between commands", default: 0] >= 5, "\(histogram)")
            #expect(histogram["reported", default: 0] >= 5, "\(histogram)")
            #expect(outcomes.count { $0.isNew } >= 20, "\(histogram)")
            #expect(outcomes.count { !$0.isNew } >= 20, "\(histogram)")
        }
    }
}
