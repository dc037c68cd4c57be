import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("an agent that Home Assistant is to find")
    struct HomeTests {
        @Test("shows itself, and a beacon that it hears is home")
        func tracker() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "#", on: broker)
            var options = Gateway.Options()
            options.windowMs = 100
            let tracker: [String: Any] = [
                "name": "Forklift", "uuid": Gateway.uuid, "major": 42, "minor": 1,
            ]
            options.sections["homeAssistant"] = ["trackers": [tracker]]
            let agent = try Gateway(port: broker.port, options)
            let topic = "homeassistant/device/store-042/entry-1/config"
            #expect(witness.waitForMessage { $0.topic == topic } != nil)
            #expect(
                witness.waitForMessage {
                    $0.topic == "sightline/v1/store-042/entry-1/trackers"
                        && $0.payload.contains("\"home\"")
                } != nil)
            try agent.end()
            #expect(agent.complaints.isEmpty, "\(agent.complaints)")
        }

        @Test("tells nobody of itself where that is not wanted")
        func silence() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "#", on: broker)
            let agent = try Gateway(port: broker.port)
            #expect(witness.waitForMessage { $0.topic.hasSuffix("/sightings") } != nil)
            try agent.end()
            #expect(!witness.received.contains { $0.topic.hasPrefix("homeassistant") })
            #expect(!witness.received.contains { $0.topic.hasSuffix("/trackers") })
        }
    }
}
