import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("radio failures")
    struct RadioTests {
        private func start(
            _ controller: RadioProgram, _ broker: Broker
        ) throws -> (Gateway, Subscriber) {
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            var options = Gateway.Options()
            options.windowMs = 100
            options.maxSilenceMs = 300
            options.radio = controller.source
            return (try Gateway(port: broker.port, options), witness)
        }

        /// Checks that all windows are contiguous and that the deaf ones have no report, and
        /// returns them.
        private func check(_ witness: Subscriber) throws -> [SeenBatch] {
            let batches = try witness.batches()
            #expect(batches.map(\.seq) == Array(0..<batches.count))
            for (earlier, later) in zip(batches, batches.dropFirst()) {
                #expect(later.start == earlier.end)
            }
            for batch in batches where batch.isDeaf {
                #expect(batch.sightings.isEmpty)
                #expect(batch.radio["reports"] as? Int == 0)
            }
            return batches
        }

        @Test("windows are deaf while the radio is away")
        func away() throws {
            let broker = try Broker()
            let controller = try RadioProgram()
            let (agent, witness) = try start(controller, broker)
            let before = try witness.waitForBatch { $0.count > 0 }
            controller.kill()
            // The agent publishes at least one deaf window before the radio is back.
            let deaf = try witness.waitForBatch { $0.isDeaf && $0.start > before.start }
            try controller.restart()
            try witness.waitForBatch { $0.count > 0 && $0.start > deaf.start }
            try agent.end()
            let batches = try check(witness)
            #expect(batches.contains { $0.isDeaf && $0.start > before.start })
            #expect(agent.complaints.count >= 1)
            #expect(agent.complaints.count <= 2, "\(agent.complaints)")
        }

        @Test("windows are deaf until the radio appears")
        func late() throws {
            let broker = try Broker()
            let controller = try RadioProgram()
            controller.kill()
            let (agent, witness) = try start(controller, broker)
            try agent.waitForLog("<3>")
            try controller.restart()
            try witness.waitForBatch { $0.count > 0 }
            try agent.end()
            #expect(try check(witness).first?.isDeaf == true)
            #expect(agent.complaints.count == 1, "\(agent.complaints)")
        }

        @Test("windows are deaf after a hardware error, until the controller is set up again")
        func hardwareError() throws {
            let broker = try Broker()
            // On a busy machine, the first one comes before the first batch.
            let controller = try RadioProgram(faults: [1, 20, 80].map { "\($0):hardwareError" })
            let (agent, witness) = try start(controller, broker)
            let before = try witness.waitForBatch { $0.count > 0 }
            let deaf = try witness.waitForBatch { $0.isDeaf && $0.start > before.start }
            try witness.waitForBatch { $0.count > 0 && $0.start > deaf.start }
            try agent.end()
            _ = try check(witness)
        }

        @Test(
            "a stalled or silent radio gives empty windows, and then reports again",
            arguments: ["stall:0.7", "silent:0.7"])
        func silence(fault: String) throws {
            let broker = try Broker()
            // On a busy machine, the first one comes before the first batch.
            let controller = try RadioProgram(faults: [1, 20, 80].map { "\($0):\(fault)" })
            let (agent, witness) = try start(controller, broker)
            let before = try witness.waitForBatch { $0.count > 0 }
            let empty = try witness.waitForBatch {
                $0.start > before.start && $0.count == 0 && $0.end - $0.start >= 300
            }
            try witness.waitForBatch { $0.count > 0 && $0.start > empty.start }
            try agent.end()
            _ = try check(witness)
        }
    }
}
