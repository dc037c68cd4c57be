import Foundation
import MQTT
import TestSupport
import Testing

extension BrokerTests {
    /// The broker in `config/mosquitto`, as `packaging/provision` sets it up.
    @Suite("a provisioned broker")
    struct AccessControlTests {
        private static let project = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        private static let root = "sightline/v1"
        /// Every topic that somebody may write, and others like them.
        private static let topics = [
            "/store-042/entry-1/sightings", "/store-042/entry-1/status",
            "/store-042/entry-1/health", "/store-042/entry-1/config/reported",
            "/store-042/entry-1/config/desired", "/store-042/till-store-042/sightings",
            "/store-042/till-store-042/status", "/store-042/till-store-042/config/desired",
            "/store-042/config/desired", "/store-043/config/desired",
            "/store-043/entry-1/sightings", "/store-043/entry-1/config/desired",
            "/config/desired", "/store-042/entry-1/other", "/store-042/entry-1/sightings/more",
            "/store-042/entry-1", "/store-042/status", "/other",
        ].map { root + $0 }

        private let folder: TemporaryFolder
        private let broker: Broker

        init() throws {
            folder = try TemporaryFolder()
            try folder.write(
                "site,gateway,minor\r\nstore-042,entry-1,1\r\nstore-042,\"till-store-042\",2\r\n"
                    + "store-043,entry-1,1\r\nstore-043,,\r\n", to: "plan.csv")
            try Tool.run(
                Self.project.appending(path: "packaging/provision").path,
                [
                    "--plan", folder.file("plan.csv"), "--broker", "localhost", "--broker",
                    "127.0.0.1:8884", "--operator", "alice", "--backend", "queue", "--output",
                    folder.file("made"),
                ])
            let shipped = try String(
                contentsOfFile: folder.file("made/broker/mosquitto.conf"), encoding: .utf8)
            var options = Broker.Options()
            options.lines =
                shipped
                .replacingOccurrences(
                    of: "/etc/mosquitto/sightline", with: folder.file("made/broker")
                )
                .split(separator: "\n").map(String.init)
                .filter { !$0.hasPrefix("#") && !$0.hasPrefix("listener") }
            broker = try Broker(options)
        }

        private func settings(_ user: String, _ pair: String) -> ConnectionSettings {
            let file = folder.file("made/" + pair)
            return ConnectionSettings(
                host: "localhost", port: broker.port,
                tls: TLSSettings(
                    caFile: folder.file("made/ca.crt"),
                    client: TLSSettings.ClientCertificate(
                        certFile: file + ".crt", keyFile: file + ".key")),
                clientID: user)
        }

        private var entry: ConnectionSettings {
            settings("entry", "gateways/store-042/entry-1/gateway")
        }
        private var till: ConnectionSettings {
            settings("till", "gateways/store-042/till-store-042/gateway")
        }
        private var elsewhere: ConnectionSettings {
            settings("elsewhere", "gateways/store-043/entry-1/gateway")
        }
        private var alice: ConnectionSettings { settings("alice", "people/alice/alice") }
        private var queue: ConnectionSettings { settings("queue", "people/queue/queue") }

        /// The topics, without the root, that somebody is let write.
        private func writable(by settings: ConnectionSettings) throws -> Set<String> {
            let driver = try Driver(to: settings)
            var writable: Set<String> = []
            for (index, topic) in Self.topics.enumerated() {
                let token = UInt64(index)
                try driver.connection.publish(
                    Publication(topic: topic, payload: "x".bytes), token: token)
                let answer = try driver.answer(to: token)
                #expect(answer == .notAuthorised || !answer.isFailure)
                if answer != .notAuthorised {
                    writable.insert(String(topic.dropFirst(Self.root.count)))
                }
            }
            return writable
        }

        @Test("everybody writes what is theirs, and nothing else")
        func writing() throws {
            #expect(
                try writable(by: entry) == [
                    "/store-042/entry-1/sightings", "/store-042/entry-1/status",
                    "/store-042/entry-1/health", "/store-042/entry-1/config/reported",
                ])
            #expect(
                try writable(by: till) == [
                    "/store-042/till-store-042/sightings", "/store-042/till-store-042/status",
                ])
            #expect(try writable(by: elsewhere) == ["/store-043/entry-1/sightings"])
            #expect(
                try writable(by: alice) == [
                    "/config/desired", "/store-042/config/desired", "/store-043/config/desired",
                    "/store-042/entry-1/config/desired", "/store-042/till-store-042/config/desired",
                    "/store-043/entry-1/config/desired",
                ])
            #expect(try writable(by: queue) == [])
        }

        @Test("a gateway reads its three layers and its own status; people read everything")
        func reading() throws {
            let readers = try [entry, elsewhere, alice, queue].map { settings in
                var settings = settings
                settings.clientID += "-reader"
                let driver = try Driver(to: settings)
                try driver.connection.subscribe(to: ["#"])
                try driver.wait(for: "subscribed") {
                    if case .subscribed = $0 { true } else { nil }
                }
                return driver
            }
            var written: Set<String> = []
            for writer in [entry, till, elsewhere, alice] {
                written.formUnion(try writable(by: writer))
            }
            // What comes last, everybody may read.
            let last = try Driver(to: alice)
            try last.connection.publish(
                Publication(topic: Self.root + "/config/desired", payload: "last".bytes), token: 1)
            let seen = try readers.map { driver in
                try driver.wait(for: "the last message") {
                    if case .message(let message) = $0, message.payload == "last".bytes {
                        true
                    } else {
                        nil
                    }
                }
                return Set(
                    driver.events.compactMap { event in
                        if case .message(let message) = event {
                            String(message.topic.dropFirst(Self.root.count))
                        } else {
                            nil
                        }
                    })
            }
            #expect(
                seen[0] == [
                    "/config/desired", "/store-042/config/desired",
                    "/store-042/entry-1/config/desired", "/store-042/entry-1/status",
                ])
            #expect(
                seen[1] == [
                    "/config/desired", "/store-043/config/desired",
                    "/store-043/entry-1/config/desired",
                ])
            #expect(seen[2] == written)
            #expect(seen[3] == written)
        }

        @Test("nobody comes in without a certificate of the same authority")
        func strangers() throws {
            var nameless = entry
            nameless.tls = TLSSettings(caFile: folder.file("made/ca.crt"))
            #expect(try failure(of: nameless) != nil)
            let stranger = try Certificates(in: folder, name: "stranger").client()
            var foreign = entry
            foreign.tls = TLSSettings(
                caFile: folder.file("made/ca.crt"),
                client: TLSSettings.ClientCertificate(
                    certFile: stranger.certFile, keyFile: stranger.keyFile))
            #expect(try failure(of: foreign) != nil)
            var plain = entry
            plain.tls = nil
            #expect(try failure(of: plain) != nil)
        }
    }
}
