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

        @Test(
            "the metrics have the end of the client certificate, as openssl reads it; also when the broker refuses it"
        )
        func certificate() throws {
            let folder = try TemporaryFolder()
            let authority = try Certificates(in: folder)
            let other = try Certificates(in: folder, name: "other")
            var options = Broker.Options()
            options.tls = Broker.TLS(
                server: try authority.server(["DNS:localhost"]), clientCAFile: other.caFile)
            let broker = try Broker(options, folder: folder)
            let path = folder.file("sightline.prom")
            let pair = try authority.client()
            var settings = broker.settings(
                tls: TLSSettings(
                    caFile: authority.caFile,
                    client: .init(certFile: pair.certFile, keyFile: pair.keyFile)))
            settings.host = "localhost"
            let uplink = try UplinkDriver(to: settings) { $0.health.metricsPath = path }
            let end = Deadline()
            var metrics = ""
            while !metrics.contains("certificate_expiry"), !end.hasPassed {
                #expect(try uplink.staysAlive(milliseconds: 50))
                metrics = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            }
            try uplink.end()
            let seconds = try Self.end(of: pair.certFile).timeIntervalSince1970
            #expect(
                Self.says("broker_certificate_expiry_timestamp_seconds", "\(seconds)", metrics),
                "\(seconds), \(metrics)")
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

        /// The line of openssl-x509(1): `notAfter=Nov 24 17:00:00 2026 GMT`.
        private static func end(of certificate: String) throws -> Date {
            let child = try ChildProcess(
                "openssl", ["x509", "-noout", "-enddate", "-in", certificate])
            _ = child.waitForExit()
            // A day of one digit has two spaces.
            let line = child.lines.joined().replacingOccurrences(of: "  ", with: " ")
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.dateFormat = "'notAfter='MMM d HH:mm:ss yyyy zzz"
            return try #require(format.date(from: line))
        }

        private static func isOfOneMoment(_ health: String, _ metrics: String) -> Bool {
            guard let value = try? JSONSerialization.jsonObject(with: Data(health.utf8)),
                let at = (value as? [String: Any])?["at"] as? Int64
            else { return false }
            return metrics.contains("} \(Double(at) / 1000)\n")
        }
    }
}
