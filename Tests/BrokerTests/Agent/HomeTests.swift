import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("an agent with Home Assistant")
    struct HomeTests {
        @Test("it publishes its document, and a received tracker is home")
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

        @Test("its status has a new session, so the trackers of an earlier run are outdated")
        func session() throws {
            let broker = try Broker()
            let folder = try TemporaryFolder()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            var options = Gateway.Options()
            options.windowMs = 100
            options.sections["homeAssistant"] = [
                "trackers": [["name": "cart", "uuid": Gateway.uuid, "major": 42, "minor": 1]]
            ]
            let before = try Gateway(port: broker.port, options, folder: folder)
            #expect(witness.waitForMessage { $0.payload.contains("\"home\"") } != nil)
            try before.end()
            let said = witness.received
            let status = try #require(said.firstIndex { $0.object(of: "status") != nil })
            let trackers = try #require(said.firstIndex { $0.object(of: "trackers") != nil })
            #expect(status < trackers)
            let session = try #require(said[status].session(of: "status"))
            #expect(said[trackers].session(of: "trackers") == session)
            options.sections["homeAssistant"] = nil
            let agent = try Gateway(port: broker.port, options, folder: folder)
            try agent.waitForLog("connected")
            let late = try Subscriber(to: "sightline/#", on: broker)
            let online = try late.waitForStatus("online")
            let left = late.waitForMessage { $0.topic.hasSuffix("/trackers") }
            #expect(left?.session(of: "trackers") == session)
            #expect(online["session"] as? String != session)
            try agent.end()
        }

        @Test("without the section it publishes no document and no trackers")
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

extension Subscriber.Received {
    fileprivate func session(of kind: String) -> String? { object(of: kind)?["session"] as? String }
}
