import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("tuned over a broker that does not allow everything")
    struct AccessTests {
        /// Mosquitto's own plugin for what its access-control file can't say: who may subscribe to what.
        private static let plugin: String? = {
            let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
            return (folders.map { "/usr/lib/\($0)/" } + ["/usr/lib/"])
                .map { $0 + "mosquitto_dynamic_security.so" }
                .first(where: FileManager.default.fileExists)
        }()

        /// Everybody may do everything, but subscribe to one topic.
        private static func security(refusing topic: String) throws -> String {
            let all = ["publishClientSend", "publishClientReceive", "subscribePattern"].map {
                ["acltype": $0, "topic": "#", "priority": 0, "allow": true] as [String: Any]
            }
            let none: [String: Any] = [
                "acltype": "subscribeLiteral", "topic": topic, "priority": 1, "allow": false,
            ]
            let object: [String: Any] = [
                "anonymousGroup": "all", "clients": [] as [Any],
                "groups": [["groupname": "all", "roles": [["rolename": "all"]]]],
                "roles": [["rolename": "all", "acls": all + [none]]],
            ]
            return String(
                decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        }

        @Test(
            "a layer that may not be subscribed to is said once, and the others work",
            .enabled(if: plugin != nil, "mosquitto has no plugin for dynamic security"),
            arguments: ["5", "3.1.1"])
        func subscription(version: String) throws {
            let folder = try TemporaryFolder()
            var options = Broker.Options()
            options.lines = [
                "plugin \(try #require(Self.plugin))",
                "plugin_opt_config_file "
                    + (try folder.write(
                        Self.security(refusing: "sightline/v1/store-042/config/desired"),
                        to: "security.json")),
            ]
            let scene = try TunedScene(options)
            try scene.publishAll()
            let agent = try scene.start(["advertise": ["major": 9]]) {
                $0.mqtt["protocol"] = version
            }
            var expected = ShownIdentity()
            expected.major = 9
            try scene.radio.waitForAir { $0.last == .some(expected) }
            let report = try scene.witness.waitForReport { $0.isAdvertising }
            #expect(report.versions == [1, nil, 1])
            try scene.witness.waitForBatch { $0.count > 0 }
            #expect(agent.complaints.count == 1, "\(agent.complaints)")
            #expect(
                agent.complaints.first?.contains("sightline/v1/store-042/config/desired") == true)
            try agent.end()
        }

        @Test("a report that may not be published is said once, and everything else works")
        func report() throws {
            var options = Broker.Options()
            let topic = "sightline/v1/store-042/entry-1"
            options.access =
                ["topic read #", "topic write +/+/config/desired"]
                + [
                    "config/desired", "store-042/config/desired",
                    "store-042/entry-1/config/desired",
                ]
                .map { "topic write sightline/v1/\($0)" }
                + ["status", "health", "sightings"].map { "topic write \(topic)/\($0)" }
            let scene = try TunedScene(options)
            try scene.publishAll()
            let agent = try scene.start()
            try scene.radio.waitForAir { $0.last == .some(ShownIdentity()) }
            for version in 2...4 {
                let identity = ShownIdentity(number: version)
                try scene.publisher.publish(
                    identity.document(version: version), of: .gateway)
                try scene.radio.waitForAir { $0.last == .some(identity) }
            }
            try scene.witness.waitForBatch { $0.count > 0 }
            try agent.end()
            _ = try scene.witness.waitForStatus("offline")
            #expect(scene.witness.reports.isEmpty)
            #expect(agent.complaints.count == 1, "\(agent.complaints)")
            #expect(agent.complaints.first?.contains("config/reported") == true)
        }
    }
}
