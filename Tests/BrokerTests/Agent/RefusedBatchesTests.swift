import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("batches that the broker refuses")
    struct RefusedBatchesTests {
        private func waitForRefusals(_ count: Int, _ witness: Subscriber) throws {
            let message = witness.waitForMessage {
                guard let health = $0.object(of: "health"),
                    let messages = health["messages"] as? [String: Any]
                else { return false }
                return messages["refused"] as? Int ?? 0 >= count
            }
            if message == nil { throw TestFailure("no \(count) refusals") }
        }

        @Test("they are logged once with the remedy")
        func notAuthorised() throws {
            var server = Broker.Options()
            let topic = "sightline/v1/store-042/entry-1"
            server.access = [
                "topic read #", "topic write \(topic)/status", "topic write \(topic)/health",
                "topic write \(topic)/config/reported",
            ]
            let broker = try Broker(server)
            var options = Gateway.Options()
            options.windowMs = 100
            let agent = try Gateway(port: broker.port, options)
            #expect(
                broker.waitForLog("Denied PUBLISH from store-042/entry-1"))
            // The broker refuses about twenty more batches.
            #expect(agent.staysAlive(for: 2))
            try agent.end()
            // The second line, at the end, has the total loss, because no message declared it.
            #expect(agent.complaints.count == 2, "\(agent.complaints)")
            #expect(agent.complaints.last?.contains("batches lost") == true)
            #expect(agent.complaints.last?.contains("reason=refused") == true)
            #expect(agent.complaints.first?.contains("access list") == true)
            #expect(agent.complaints.first?.contains("topic=\(topic)/sightings") == true)
            #expect(broker.log.count { $0.contains("Denied PUBLISH") } > 5)
        }

        @Test("they are logged again after an accepted batch, and declared lost")
        func tooLarge() throws {
            var server = Broker.Options()
            server.lines = ["max_packet_size 3000"]
            let broker = try Broker(server)
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            var options = Gateway.Options()
            options.windowMs = 100
            options.beacons = 30
            // The first part of each window is too large, and the last part fits.
            options.sections["report"] = [
                "windowMs": 100, "maxSilenceMs": 0, "maxSightingsPerMessage": 29,
            ]
            let agent = try Gateway(port: broker.port, options)
            let lost = try witness.waitForBatch { $0.lost != nil }.lost
            #expect(lost?.reason == "refused")
            try agent.end()
            #expect(
                agent.complaints.contains { $0.contains("lower report.maxSightingsPerMessage") })
        }
    }
}
