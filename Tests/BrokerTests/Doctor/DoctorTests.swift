import Foundation
import Posix
import TestSupport
import Testing

extension BrokerTests {
    /// The program on gateways with one fault each.
    @Suite(
        "sightline doctor", .serialized,
        .enabled(if: DoctorFixture.program != nil, "the program was not built beside the tests"))
    struct DoctorTests {
        /// A fault in the gateway's environment or configuration.
        struct Fault: CustomTestStringConvertible, Sendable {
            let testDescription: String
            /// The only check that fails.
            let check: String
            /// A part of its message.
            let words: String
            let plant: @Sendable (DoctorFixture) throws -> Void

            init(
                _ name: String, _ check: String, _ words: String,
                _ plant: @escaping @Sendable (DoctorFixture) throws -> Void
            ) {
                testDescription = name
                self.check = check
                self.words = words
                self.plant = plant
            }
        }

        static let faults = [
            Fault("a wrong key", "configuration", "unknown key “hots”") { $0.mqtt["hots"] = "h" },
            Fault("a certificate that can't be read", "files", "no such file") {
                let client = try $0.certificates.client()
                $0.mqtt["tls"] = [
                    "caFile": $0.certificates.caFile, "certFile": client.certFile + ".gone",
                    "keyFile": client.keyFile,
                ]
            },
            Fault("a certificate that is none", "tls", "can't be used") {
                let client = try $0.certificates.client()
                $0.mqtt["tls"] = [
                    "caFile": $0.certificates.caFile,
                    "certFile": try $0.folder.write("hello", to: "cert.pem"),
                    "keyFile": client.keyFile,
                ]
            },
            Fault("another's key", "tls", "key values mismatch") {
                $0.mqtt["tls"] = [
                    "caFile": $0.certificates.caFile,
                    "certFile": try $0.certificates.client().certFile,
                    "keyFile": try $0.certificates.client().keyFile,
                ]
            },
            Fault("an unknown host", "name", "does not resolve") {
                $0.mqtt["host"] = "broker.invalid"
            },
            Fault("a closed port", "port", "no program listens") {
                $0.mqtt["port"] = Int(try Ports.free())
            },
            Fault("another authority", "tls", "check the CA file") {
                let other = try Certificates(in: $0.folder, name: "other", days: 400)
                $0.mqtt["tls"] = ["caFile": other.caFile]
            },
            Fault("an expired certificate of the broker", "tls", "has expired") {
                $0.options.tls?.server = try $0.certificates.expiredServer(DoctorFixture.names)
            },
            Fault("a certificate for another host", "tls", "another host name") {
                $0.options.tls?.server = try $0.certificates.server(["DNS:elsewhere"])
            },
            Fault("a broker without TLS", "tls", "check the port") { $0.options.tls = nil },
            Fault("a wrong password", "login", "check the user name") {
                $0.options.users = ["entry-1": "another"]
            },
            Fault("a topic that may not be written", "publish", "/sightings: not authorised") {
                $0.options.access.removeAll { $0.hasSuffix("/sightings") }
            },
            Fault("Home Assistant's topic that may not be written", "publish", "homeassistant/") {
                $0.sections["homeAssistant"] = [String: Any]()
                $0.options.access.append("topic write \(DoctorFixture.place)/trackers")
            },
            Fault("a layer that may not be read", "subscribe", "store-042/config/desired") {
                let file = "security.json"
                let topic = "sightline/v1/store-042/config/desired"
                $0.options.users = [:]
                $0.options.access = []
                $0.options.lines = [
                    "plugin \(try #require(DynamicSecurity.plugin))",
                    "plugin_opt_config_file "
                        + (try $0.folder.write(DynamicSecurity.refusing(topic), to: file)),
                ]
                $0.mqtt["username"] = .some(nil)
                $0.mqtt["passwordFile"] = .some(nil)
            },
            Fault("a state directory that can't be written", "state", "is not a folder") {
                let file = try $0.folder.write("", to: "file")
                $0.sections["stateDirectory"] = file + "/state"
            },
            Fault("metrics that can't be written", "metrics", "correct metrics.textfile") {
                let file = try $0.folder.write("", to: "file")
                $0.sections["metrics"] = ["textfile": file + "/sightline.prom"]
            },
            Fault("no radio", "radio", "no controller at") {
                $0.sections["radio"] = ["source": "h4:unix:" + $0.folder.file("nothing")]
            },
            Fault("a silent radio", "reports", "nothing was heard") {
                $0.radio.faults = ["0:silent:600"]
            },
            Fault("a missing reference", "reports", "of radio.reference was not heard") {
                $0.references = [["uuid": Gateway.uuid, "major": 42, "minor": 4711]]
            },
        ]

        /// The clock of a test machine is often not synchronised.
        private static let usualWarnings = Clocks.isWallClockSynchronised ? [] : ["clock"]

        @Test(
            "a working gateway passes every check without a trace")
        func well() throws {
            let fixture = try DoctorFixture()
            let path = try fixture.prepare()
            let broker = try #require(fixture.broker)
            let before = try FileManager.default.subpathsOfDirectory(atPath: fixture.folder.path)
            let (status, answers) = try DoctorFixture.examine(path)
            #expect(status == 0, "\(answers)")
            let others = answers.filter { $0.outcome != "ok" }.map(\.check)
            #expect(others == Self.usualWarnings, "\(answers)")
            let checks = Set(answers.map(\.check))
            let all = [
                "configuration", "files", "agent", "commands", "together", "reports", "clock",
                "name", "port", "tls", "login", "session", "publish", "subscribe", "state",
                "disk",
            ]
            #expect(checks == Set(all))
            #expect(answers.filter { $0.check == "publish" }.count == 4)
            #expect(answers.filter { $0.check == "subscribe" }.count == 4)
            let after = try FileManager.default.subpathsOfDirectory(atPath: fixture.folder.path)
            #expect(before == after)
            // The doctor sends a PUBLISH of QoS 2 without its PUBREL, so that the broker delivers
            // nothing.
            #expect(broker.log.contains { $0.contains("q2, r0") && $0.contains("/sightings") })
            #expect(!broker.log.contains { $0.contains("PUBREL") || $0.contains("q1, r") })
        }

        @Test("a fault has one failed check", arguments: faults)
        func names(_ fault: Fault) throws {
            let fixture = try DoctorFixture()
            try fault.plant(fixture)
            let (status, answers) = try DoctorFixture.examine(try fixture.prepare())
            #expect(status == 1)
            let wrong = answers.filter { $0.outcome == "wrong" }
            #expect(wrong.map(\.check) == [fault.check], "\(answers)")
            #expect(wrong.first?.message.contains(fault.words) == true, "\(wrong)")
            let warned = answers.filter { $0.outcome == "warning" }.map(\.check)
            // Without a configuration, the clock is not checked.
            let expected = fault.check == "configuration" ? [] : Self.usualWarnings
            #expect(warned == expected, "\(answers)")
        }

        private static let online =
            #"{"v":1,"state":"online","session":"0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10","#
            + #""at":1780000000000,"version":"0.1.0","clock":"synced"}"#

        @Test("the check delivers no message and keeps retained ones")
        func publishesNothing() throws {
            let fixture = try DoctorFixture()
            fixture.options.tls = nil
            fixture.options.access += ["user witness", "topic readwrite #"]
            fixture.options.users["witness"] = "w"
            fixture.mqtt["tls"] = .some(nil)
            let path = try fixture.prepare()
            let broker = try #require(fixture.broker)
            let login = ["-u", "witness", "-P", "w"]
            let status = "\(DoctorFixture.place)/status"
            let publish = ["-p", String(broker.port), "-q", "1"] + login
            try Tool.run("mosquitto_pub", publish + ["-t", status, "-r", "-m", Self.online])
            let witness = try Subscriber(to: "#", on: broker, arguments: login)
            #expect(try DoctorFixture.examine(path).status == 0)
            try Tool.run("mosquitto_pub", publish + ["-t", "last", "-m", "last"])
            _ = witness.waitForMessage { $0.topic == "last" }
            #expect(witness.received.map(\.payload) == [Self.online, "last"])
        }

        @Test(
            "a certificate that expires soon is a warning",
            arguments: [(2, "1 day"), (20, "19 days")])
        func expiry(days: Int, words: String) throws {
            let fixture = try DoctorFixture()
            let soon = try Certificates(in: fixture.folder, name: "soon", days: days)
            fixture.options.tls?.server = try soon.server(DoctorFixture.names)
            let client = try soon.client()
            fixture.mqtt["tls"] = [
                "caFile": soon.caFile, "certFile": client.certFile, "keyFile": client.keyFile,
            ]
            let (status, answers) = try DoctorFixture.examine(try fixture.prepare())
            #expect(status == 0)
            let warnings = answers.filter { $0.outcome == "warning" && $0.check != "clock" }
            #expect(warnings.map(\.check) == ["certificate", "tls"])
            #expect(warnings.allSatisfy { $0.message.contains("has \(words) left") }, "\(warnings)")
        }

        @Test("every broker is checked")
        func alternatives() throws {
            let fixture = try DoctorFixture()
            let closed = try Ports.free()
            fixture.mqtt["alternatives"] = [["port": Int(closed)], ["host": "localhost"]]
            let (status, answers) = try DoctorFixture.examine(try fixture.prepare())
            #expect(status == 1)
            #expect(answers.filter { $0.outcome == "wrong" }.map(\.check) == ["port"])
            #expect(answers.filter { $0.check == "login" && $0.outcome == "ok" }.count == 2)
        }

        @Test("the check of write permissions is skipped with MQTT 3.1.1")
        func version311() throws {
            let fixture = try DoctorFixture()
            fixture.mqtt["protocol"] = "3.1.1"
            let (status, answers) = try DoctorFixture.examine(try fixture.prepare())
            #expect(status == 0)
            let skipped = answers.filter { $0.outcome == "skipped" }.map(\.check)
            #expect(skipped == ["publish", "publish", "publish", "publish"], "\(answers)")
        }

        @Test(
            "a running agent keeps its radio and its connection",
            arguments: ["store-042/entry-1", "entry-1"])
        func runningAgent(client: String) throws {
            let fixture = try DoctorFixture()
            // Such a broker makes the user name the identifier of the agent and of the doctor.
            if client == "entry-1" { fixture.options.lines = ["use_username_as_clientid true"] }
            let path = try fixture.prepare()
            let agent = try Gateway.run(["--config", path])
            defer { agent.send(SIGKILL) }
            let scans = agent.waitForLine { $0.contains("scanning") } != nil
            #expect(scans, "\(agent.lines)")
            let broker = try #require(fixture.broker)
            #expect(
                broker.waitForMessage(
                    from: client, to: "\(DoctorFixture.place)/status"))
            let isConnected = agent.waitForLine { $0.contains("MQTT connected") } != nil
            #expect(isConnected)
            let (status, answers) = try DoctorFixture.examine(path)
            #expect(status == 0, "\(answers)")
            let said = answers.first { $0.check == "agent" }?.message
            #expect(said?.contains("process \(agent.processID) is running") == true, "\(answers)")
            let skipped = answers.filter { $0.outcome == "skipped" }.map(\.check)
            #expect(skipped == ["reports", "login"])
            // The doctor interrupted neither the connection nor the radio.
            #expect(agent.lines.count { $0.contains("MQTT connected") } == 1, "\(agent.lines)")
            #expect(agent.lines.count { $0.contains("scanning") } == 1, "\(agent.lines)")
            #expect(!agent.lines.contains { $0.hasPrefix("<3>") || $0.hasPrefix("<4>") })
            agent.send(SIGTERM)
            #expect(agent.waitForExit() == 0)
        }

        @Test("a broker may allow few messages in flight", arguments: [1, 3])
        func fewInFlight(limit: Int) throws {
            let fixture = try DoctorFixture()
            fixture.options.lines.append("max_inflight_messages \(limit)")
            let (status, answers) = try DoctorFixture.examine(try fixture.prepare())
            #expect(status == 0, "\(answers)")
            let publish = answers.filter { $0.check == "publish" }
            #expect(publish.map(\.outcome) == ["ok", "ok", "ok", "ok"], "\(publish)")
        }

        @Test("an agent of the same names on another machine is reported")
        func otherSession() throws {
            let fixture = try DoctorFixture()
            let path = try fixture.prepare()
            let agent = try Gateway.run(["--config", path])
            defer { agent.send(SIGKILL) }
            #expect(agent.waitForLine { $0.contains("MQTT connected") } != nil)
            let broker = try #require(fixture.broker)
            #expect(
                broker.waitForMessage(
                    from: "store-042/entry-1", to: "\(DoctorFixture.place)/status"))
            // This machine's agent would have another state directory, and another radio.
            fixture.sections["stateDirectory"] = fixture.folder.file("elsewhere")
            fixture.sections["radio"] = ["source": "h4:unix:" + fixture.folder.file("nothing")]
            let (_, answers) = try DoctorFixture.examine(try fixture.configure())
            let session = try #require(answers.first { $0.check == "session" })
            #expect(session.outcome == "warning")
            #expect(session.message.contains("but no agent runs on this machine"))
            agent.send(SIGTERM)
            #expect(agent.waitForExit() == 0)
            let after = try DoctorFixture.examine(try fixture.configure())
            #expect(after.answers.first { $0.check == "session" }?.outcome == "ok")
        }
    }
}
