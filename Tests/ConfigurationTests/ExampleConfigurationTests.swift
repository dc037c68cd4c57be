import Beacons
import Configuration
import Contract
import JSON
import TestVectors
import Testing

@Suite struct ExampleConfigurationTests {
    @Test("the commented example is valid and shows every default")
    func isValid() throws {
        let configuration = try LocalConfiguration.load(
            path: Example.path, requiresBroker: true)
        let uuid = try #require(ProximityUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0"))
        let topics = try #require(Topics(site: "store-042", gateway: "entry-1"))
        let broker = BrokerSettings {
            $0.host = "broker.example"
            $0.port = 8883
            $0.username = "entry-1"
            $0.passwordFile = "/etc/sightline/password"
            $0.clientId = "store-042-entry-1"
            $0.tls = BrokerSettings.TLS {
                $0.caFile = "/etc/sightline/ca.crt"
                $0.certFile = "/etc/sightline/gateway.crt"
                $0.keyFile = "/etc/sightline/gateway.key"
            }
        }
        var second = broker
        second.host = "broker-2.example"
        var third = broker
        third.host = "192.0.2.7"
        third.port = 1883
        third.tls = nil
        var expected = LocalConfiguration(topics: topics)
        expected.broker = broker
        expected.alternatives = [second, third]
        expected.settings.advertise = AdvertiseSettings {
            $0.enabled = false
            $0.uuid = uuid
            $0.major = 42
            $0.minor = 7
            $0.txPowerDbm = 0
        }
        expected.lowestLayer = configuration.lowestLayer
        expected.outbox.path = "/var/lib/sightline/outbox.sqlite"
        expected.stateDirectory = "/var/lib/sightline"
        expected.metricsPath = "/run/sightline/sightline.prom"
        expected.homeAssistant = HomeAssistantSettings()
        #expect(configuration == expected)
        #expect(try GatewaySettings(merged: configuration.lowestLayer) == configuration.settings)
    }

    @Test("every prefix of the example is a configuration or faults")
    func everyPrefix() throws {
        let bytes = try Example.bytes()
        var valid = 0
        for count in 0...bytes.count where parses(Array(bytes.prefix(count))) { valid += 1 }
        // All that can be cut off is the line feed at the end.
        #expect(valid == 2)
    }

    @Test("the example with any flipped byte is a configuration or faults", arguments: [0x5eed])
    func flippedBytes(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let original = try Example.bytes()
        var valid = 0
        for index in original.indices {
            var bytes = original
            bytes[index] ^= UInt8.random(in: 1...255, using: &random)
            if parses(bytes) { valid += 1 }
        }
        // What hits a comment or a free text does no harm, what hits the rest mostly does.
        #expect((1..<original.count).contains(valid))
    }

    /// Whether the bytes are a configuration; if they aren't, there must be a reason.
    private func parses(_ bytes: [UInt8]) -> Bool {
        do throws(Faults) {
            _ = try LocalConfiguration(parsing: bytes, requiresBroker: true)
            return true
        } catch {
            #expect(!error.list.isEmpty)
            return false
        }
    }
}
