import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("tuning with restricted access")
    struct AccessTests {
        @Test(
            "a refused subscription is logged once, and the other layers work",
            .enabled(
                if: DynamicSecurity.plugin != nil, "mosquitto has no plugin for dynamic security"),
            arguments: ["5", "3.1.1"])
        func subscription(version: String) throws {
            let folder = try TemporaryFolder()
            var options = Broker.Options()
            options.lines = [
                "plugin \(try #require(DynamicSecurity.plugin))",
                "plugin_opt_config_file "
                    + (try folder.write(
                        DynamicSecurity.refusing("sightline/v1/store-042/config/desired"),
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

        @Test("a refused report is logged once, and everything else works")
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
