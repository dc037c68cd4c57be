import Foundation
import MQTT
import TestSupport
import Testing

extension BrokerTests {
    /// The broker in `config/mosquitto`, as `packaging/sightline-provision` sets it up.
    @Suite("a provisioned broker")
    struct AccessControlTests {
        private static let root = "sightline/v1"
        /// Every topic that an account may write, and similar topics.
        private static let topics = [
            "/store-042/entry-1/sightings", "/store-042/entry-1/status",
            "/store-042/entry-1/health", "/store-042/entry-1/config/reported",
            "/store-042/entry-1/config/desired", "/store-042/entry-1/trackers",
            "/store-042/till-store-042/sightings",
            "/store-042/till-store-042/status", "/store-042/till-store-042/config/desired",
            "/store-042/config/desired", "/store-043/config/desired",
            "/store-043/entry-1/sightings", "/store-043/entry-1/config/desired",
            "/config/desired", "/store-042/entry-1/other", "/store-042/entry-1/sightings/more",
            "/store-042/entry-1", "/store-042/status", "/other",
        ].map { root + $0 }

        private let made: ProvisionedBroker
        private var entry: ConnectionSettings { made.entry }
        private var till: ConnectionSettings { made.till }
        private var elsewhere: ConnectionSettings { made.elsewhere }
        private var alice: ConnectionSettings { made.person("alice") }
        private var queue: ConnectionSettings { made.person("queue") }

        init() throws { made = try ProvisionedBroker() }

        @Test("the profile of a person connects with its certificate, and watch with its own")
        func profiles() throws {
            let folder = made.folder
            let profile = "made/people/alice/profile.json"
            let text = try String(contentsOfFile: folder.file(profile), encoding: .utf8)
            try folder.write(
                text.replacing("localhost:8883", with: "localhost:\(made.broker.port)"), to: profile
            )
            try Tool.run("mkdir", [folder.file("configuration")])
            try Tool.run(
                "ln", ["-s", folder.file("made/people"), folder.file("configuration/sightline")])
            let environment = [
                "XDG_CONFIG_HOME": folder.file("configuration"), "LANG": "C.UTF-8",
                "SIGHTLINE_PROFILE": "queue",
            ]
            let program = try #require(BuiltProgram.find("sightline"))
            let status = try ChildProcess(
                program, ["status", "--profile", "alice"], environment: environment)
            #expect(status.waitForExit() == 1)
            #expect(status.lines.last?.contains("no gateway has published") == true)
            #expect(made.broker.waitForLog("u'alice')"))
            let watch = try ChildProcess(
                program, ["watch", "--profile", "alice", "--seconds", "1"],
                environment: environment)
            #expect(watch.waitForExit() != nil)
            #expect(made.broker.waitForLog("u'alice.watch')"))
        }

        /// The writable topics, without the common root.
        private func writable(by settings: ConnectionSettings) throws -> Set<String> {
            Self.withoutRoot(try made.writable(Self.topics, by: settings))
        }

        private static func withoutRoot(_ topics: Set<String>) -> Set<String> {
            Set(topics.map { String($0.dropFirst(root.count)) })
        }

        @Test("each account may write only its own topics")
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
            #expect(try writable(by: made.person("alice.watch")) == [])
        }

        @Test("a gateway may read its layers and its own status; people may read all topics")
        func reading() throws {
            var written: Set<String> = []
            let seen = try made.seen(
                by: [entry, elsewhere, alice, queue], of: ["#"],
                last: (alice, Self.root + "/config/desired")
            ) {
                for writer in [entry, till, elsewhere, alice] {
                    written.formUnion(try writable(by: writer))
                }
            }.map(Self.withoutRoot)
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

        @Test("clients without a certificate of the same authority are refused")
        func strangers() throws {
            var nameless = entry
            nameless.tls = TLSSettings(caFile: made.folder.file("made/ca.crt"))
            #expect(try failure(of: nameless) != nil)
            let stranger = try Certificates(in: made.folder, name: "stranger").client()
            var foreign = entry
            foreign.tls = TLSSettings(
                caFile: made.folder.file("made/ca.crt"),
                client: TLSSettings.ClientCertificate(
                    certFile: stranger.certFile, keyFile: stranger.keyFile))
            #expect(try failure(of: foreign) != nil)
            var plain = entry
            plain.tls = nil
            #expect(try failure(of: plain) != nil)
        }
    }
}
