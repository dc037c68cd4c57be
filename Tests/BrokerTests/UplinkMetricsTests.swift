import Agent
import Contract
import Foundation
import MQTT
import TestSupport
import Testing

extension BrokerTests {
    @Suite("the uplink's metrics")
    struct UplinkMetricsTests {
        private static let reader = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Contract/check-metrics").path

        @Test(
            "the metrics equal the health message, as Prometheus' own parser reads them",
            .enabled(if: Tool.works("/usr/bin/python3", ["-c", "import prometheus_client"])))
        func sameAsHealth() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/v1/+/+/health", on: broker)
            let folder = try TemporaryFolder()
            let path = folder.file("sightline.prom")
            let uplink = try UplinkDriver(to: broker.settings(), choice: .fixed(.v5)) {
                $0.health.metricsPath = path
            }
            uplink.post(0..<7, sightings: 3)
            let end = Deadline()
            var pair: (metrics: String, health: String)?
            while pair == nil, !end.hasPassed {
                #expect(try uplink.staysAlive(milliseconds: 50))
                guard let text = try? String(contentsOfFile: path, encoding: .utf8),
                    Self.says("messages_acknowledged_total", "7", text)
                else { continue }
                _ = witness.wait(within: 1) { !$0.isEmpty }
                let match = witness.received.last { Self.isOfOneMoment($0.payload, text) }
                pair = match.map { (text, $0.payload) }
            }
            let found = try #require(pair)
            try folder.write(found.metrics, to: "metrics")
            try folder.write(found.health, to: "health.json")
            try Tool.run(
                Self.reader, [folder.file("metrics"), folder.file("health.json")])
            #expect(Self.says("identities", "3", found.metrics))
            #expect(Self.says("sightings_total", "21", found.metrics))
            #expect(Self.says("broker_connected", "1", found.metrics))
            try uplink.end()
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test("the metrics are written without a broker, and again when the folder returns")
        func folderComesBack() throws {
            let folder = try TemporaryFolder()
            let path = folder.file("run/sightline.prom")
            let uplink = try UplinkDriver(
                to: ConnectionSettings(host: "127.0.0.1", port: try Ports.free())
            ) { $0.health.metricsPath = path }
            #expect(try uplink.staysAlive(milliseconds: 300))
            try FileManager.default.createDirectory(
                atPath: folder.file("run"), withIntermediateDirectories: false)
            let end = Deadline()
            while !FileManager.default.fileExists(atPath: path), !end.hasPassed {
                #expect(try uplink.staysAlive(milliseconds: 20))
            }
            #expect(FileManager.default.fileExists(atPath: path))
            try uplink.end()
        }

        @Test("the metrics are written at most once a second, for any number of radio changes")
        func flapping() throws {
            let folder = try TemporaryFolder()
            let path = folder.file("sightline.prom")
            let uplink = try UplinkDriver(
                to: ConnectionSettings(host: "127.0.0.1", port: try Ports.free())
            ) {
                $0.health.metricsPath = path
                $0.health.interval = .seconds(60)
            }
            var versions: Set<String> = []
            let end = Deadline(in: 3.5)
            var health = RadioHealth()
            while !end.hasPassed {
                health.isHearing.toggle()
                uplink.post(health)
                #expect(try uplink.staysAlive(milliseconds: 7))
                if let text = try? String(contentsOfFile: path, encoding: .utf8) {
                    versions.insert(text)
                }
            }
            #expect((2...5).contains(versions.count), "\(versions.count)")
            try uplink.end()
        }

        private static func says(_ name: String, _ value: String, _ metrics: String) -> Bool {
            let labels = #"{site="store-042",gateway="entry-1"}"#
            return metrics.contains("\nsightline_\(name)\(labels) \(value)\n")
        }

        private static func isOfOneMoment(_ health: String, _ metrics: String) -> Bool {
            guard let value = try? JSONSerialization.jsonObject(with: Data(health.utf8)),
                let at = (value as? [String: Any])?["at"] as? Int64
            else { return false }
            return metrics.contains("} \(Double(at) / 1000)\n")
        }
    }
}
