import Foundation
import MQTT
import TestSupport
import Testing

extension BrokerTests {
    /// The rights that `packaging/sightline-provision --home-assistant` adds.
    @Suite("a provisioned broker with Home Assistant")
    struct HomeAccessTests {
        private static let entry = "homeassistant/device/store-042/entry-1/config"
        private static let near = "sightline/v1/store-042/entry-1/trackers"
        private static let topics = [
            entry, near, "homeassistant/device/store-042/till-store-042/config",
            "homeassistant/device/store-043/entry-1/config",
            "homeassistant/device/store-042/entry-1", "homeassistant/device/store-042/config",
            "homeassistant/sensor/store-042/entry-1/config", "homeassistant/status",
            "sightline/v1/store-043/entry-1/trackers", "sightline/v1/config/desired",
            "sightline/v1/store-042/entry-1/status",
        ]

        private let made: ProvisionedBroker

        init() throws { made = try ProvisionedBroker(["--home-assistant", "hass"]) }

        @Test(
            "a gateway may write its own document and trackers; Home Assistant, all topics under its prefix"
        )
        func writing() throws {
            #expect(
                try made.writable(Self.topics, by: made.entry) == [
                    Self.entry, Self.near, "sightline/v1/store-042/entry-1/status",
                ])
            #expect(
                try made.writable(Self.topics, by: made.elsewhere) == [
                    "homeassistant/device/store-043/entry-1/config",
                    "sightline/v1/store-043/entry-1/trackers",
                ])
            let hass = try made.writable(Self.topics, by: made.person("hass"))
            #expect(hass == Set(Self.topics.filter { $0.hasPrefix("homeassistant/") }))
            #expect(
                try made.writable(Self.topics, by: made.person("alice")) == [
                    "sightline/v1/config/desired"
                ])
            #expect(try made.writable(Self.topics, by: made.person("queue")) == [])
        }

        @Test("a gateway may read its own document, and Home Assistant all topics")
        func reading() throws {
            let alice = made.person("alice")
            let hass = made.person("hass")
            let seen = try made.seen(
                by: [made.entry, made.elsewhere, hass], of: ["#"],
                last: (alice, "sightline/v1/config/desired")
            ) {
                for writer in [made.entry, made.elsewhere, hass] {
                    _ = try made.writable(Self.topics, by: writer)
                }
            }
            let prefix = "homeassistant/"
            #expect(seen[0].filter { $0.hasPrefix(prefix) } == [Self.entry])
            #expect(
                seen[1].filter { $0.hasPrefix(prefix) } == [
                    "homeassistant/device/store-043/entry-1/config"
                ])
            #expect(seen[2] == Set(Self.topics))
            #expect(!seen[0].contains(Self.near))
        }

        @Test("the generated configuration of a gateway enables Home Assistant")
        func configuration() throws {
            let folder = made.folder
            let path = folder.file("made/gateways/store-042/entry-1/sightlined.json")
            let program = try #require(Gateway.program)
            try Tool.run(program, ["--config", path, "--check"])
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains("\"homeAssistant\": {}"))
        }
    }
}
