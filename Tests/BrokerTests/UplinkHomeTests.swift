import Configuration
import Contract
import Foundation
import HomeAssistant
import TestSupport
import TestVectors
import Testing

extension BrokerTests {
    @Suite("Home Assistant documents of the uplink")
    struct UplinkHomeTests {
        private static let topic = "homeassistant/device/store-042/entry-1/config"
        private static let checker = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Contract/check-discovery").path
        private static let near = Tracker(
            name: "Anna’s \"keys\"", identity: Advertisements.beacon(0).identity)
        private static let gone = Tracker(
            name: "Forklift", identity: Advertisements.beacon(77).identity)

        private func uplink(_ broker: Broker, _ trackers: [Tracker]) throws -> UplinkDriver {
            try UplinkDriver(to: broker.settings(), choice: .fixed(.v5)) {
                $0.homeAssistant = HomeAssistantSettings {
                    $0.awayAfter = .seconds(3)
                    $0.trackers = trackers
                }
            }
        }

        @Test(
            "the documents follow Home Assistant's reference, and their templates read the messages",
            .enabled(if: Tool.works("/usr/bin/python3", ["-c", "import jinja2"])))
        func discovery() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "#", on: broker)
            let uplink = try uplink(broker, [Self.near, Self.gone])
            #expect(
                witness.waitForMessage {
                    $0.topic.hasSuffix("/trackers") && $0.states == ["unknown", "unknown"]
                } != nil)
            uplink.post(0..<5, sightings: 2)
            #expect(
                witness.waitForMessage {
                    $0.topic.hasSuffix("/trackers") && $0.states == ["home", "not_home"]
                } != nil)
            #expect(witness.waitForMessage { $0.topic.hasSuffix("/health") } != nil)
            try uplink.end()
            #expect(witness.waitForMessage { $0.payload.contains("\"offline\"") } != nil)
            let folder = try TemporaryFolder()
            let lines = witness.received.map { "\($0.topic) \($0.payload)\n" }
            let file = try folder.write(lines.joined(), to: "messages")
            try Tool.run(Self.checker, [file])
            // A later subscriber receives both retained messages.
            let late = try Subscriber(to: "#", on: broker)
            #expect(late.waitForMessage { $0.topic == Self.topic && $0.isRetained } != nil)
            #expect(
                late.waitForMessage { $0.topic.hasSuffix("/trackers") && $0.isRetained } != nil)
        }

        @Test("a removed tracker is deleted, also one of an earlier run")
        func retraction() throws {
            let broker = try Broker()
            let before = try uplink(broker, [Self.near, Self.gone])
            let witness = try Subscriber(to: Self.topic, on: broker)
            #expect(witness.waitForMessage { $0.payload.contains("Forklift") } != nil)
            try before.end()
            let after = try uplink(broker, [Self.near])
            let stub = #""tracker-\#(Advertisements.uuid)-42-77":{"platform":"device_tracker"}"#
            #expect(witness.waitForMessage { $0.payload.contains(stub) } != nil, "\(stub)")
            #expect(
                witness.wait { $0.last.map { !$0.payload.contains("-42-77") } ?? false })
            let late = try Subscriber(to: Self.topic, on: broker)
            let last = late.waitForMessage { $0.isRetained }
            #expect(last?.payload.contains("-42-77") == false)
            #expect(last?.payload.contains("keys") == true)
            try after.end()
        }
    }
}

extension Subscriber.Received {
    /// Of a message of trackers.
    fileprivate var states: [String] {
        let json = try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]
        let trackers = json?["trackers"] as? [[String: Any]] ?? []
        return trackers.compactMap { $0["state"] as? String }
    }
}
