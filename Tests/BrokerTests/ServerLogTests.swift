import Contract
import Foundation
import Posix
import TestSupport
import Testing

extension BrokerTests {
    @Suite("the log of the server")
    struct ServerLogTests {
        /// CONNACK of version 5 without properties (MQTT 5, section 3.2).
        private static func refusal(_ code: UInt8) -> [UInt8] { [0x20, 0x03, 0x00, code, 0x00] }
        private static let busy: UInt8 = 0x89
        private static let notAuthorised: UInt8 = 0x87

        private static func configuration(_ folder: TemporaryFolder, port: UInt16) throws -> String
        {
            try folder.write(
                #"""
                {"mqtt": {"host": "127.0.0.1", "port": \#(port)},
                 "http": {"listen": "unix:\#(folder.file("http"))"}, "stateDirectory": "\#(folder.file("state"))",
                 "sites": [{"site": "store", "queues": [{"queue": "exit", "entry": ["entry-1"], "till": ["till-1"]}]}]}
                """#, to: "server.json")
        }

        @Test("a server that loses its connection to another one of the same name names server.id")
        func sameName() throws {
            let program = try #require(BuiltProgram.find("sightline-server"))
            let broker = try Broker()
            let folders = [try TemporaryFolder(), try TemporaryFolder()]
            let servers = try folders.map { folder in
                let server = try ChildProcess(
                    program, ["--config", try Self.configuration(folder, port: broker.port)],
                    environment: [:])
                #expect(server.waitForLine { $0.contains("MQTT connected") } != nil)
                return server
            }
            let line = try #require(
                servers[0].waitForLine { $0.contains("MQTT connection lost") })
            // Mosquitto 2.0.11 gives no reason; later ones do.
            #expect(line.contains("sightline-server/server"), "\(line)")
            #expect(line.contains("give each server its own server.id"), "\(line)")
            for server in servers {
                server.send(SIGTERM)
                #expect(server.waitForExit() == 0)
            }
        }

        @Test("an invalid message is logged with its kind, its gateway and its fault")
        func invalid() throws {
            let program = try #require(BuiltProgram.find("sightline-server"))
            let broker = try Broker()
            let folder = try TemporaryFolder()
            for (topic, payload) in [
                ("status", "{"), ("health", "{}"), ("config/reported", "{}"), ("sightings", "{}"),
            ] {
                try Tool.run(
                    "mosquitto_pub",
                    [
                        "-p", "\(broker.port)", "-r", "-t", "sightline/v1/store/entry-1/\(topic)",
                        "-m", payload,
                    ])
            }
            let server = try ChildProcess(
                program, ["--config", try Self.configuration(folder, port: broker.port)],
                environment: [:])
            let faults = { (lines: [String]) in
                Set(lines.filter { $0.contains("breaks the contract") })
            }
            #expect(server.waitForLines { faults($0).count >= 4 })
            let expected = [
                ("status", "line 1, column 2: the text ends in the middle of a value"),
                ("health", "/v: v is required"), ("config/reported", "/v: v is required"),
                ("sightings", "/v: v is required"),
            ].map { kind, reason in
                #"<4>msg="\#(kind) message breaks the contract" gateway=store/entry-1 reason="\#(reason)""#
            }
            #expect(faults(server.lines) == Set(expected))
            let size = SightingsMessage.maxBytes + 1
            try folder.write(String(repeating: " ", count: size), to: "large")
            try Tool.run(
                "mosquitto_pub",
                [
                    "-p", "\(broker.port)", "-q", "1", "-f", folder.file("large"),
                    "-t", "sightline/v1/store/entry-1/sightings",
                ])
            let line = #"<4>msg="message is too large" gateway=store/entry-1 "#
            #expect(server.waitForLine { $0.contains(line) } != nil, "\(server.lines)")
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
        }

        @Test("a server says that it is connected when the broker has confirmed its subscriptions")
        func subscriptions() throws {
            let program = try #require(BuiltProgram.find("sightline-server"))
            let publications = Guarded(0)
            let confirms = Guarded(false)
            let unconfirmed = Guarded<[UInt8]>([])
            let broker = try FakeBroker { _ in
                .serve([0x20, 0x03, 0x00, 0x00, 0x00]) { packet in
                    if packet[0] == 0x82 {
                        // SUBACK of version 5 with quality 1 (MQTT 5, section 3.9).
                        let answer = [0x90, 0x04, packet[2], packet[3], 0x00, 0x01]
                        unconfirmed.withLock { $0 += answer }
                    } else if packet[0] >> 4 == 3 {
                        publications.withLock { $0 += 1 }
                    }
                    guard confirms.withLock({ $0 }) else { return [] }
                    return unconfirmed.withLock { answers in
                        defer { answers = [] }
                        return answers
                    }
                }
            }
            let folder = try TemporaryFolder()
            let server = try ChildProcess(
                program, ["--config", try Self.configuration(folder, port: broker.port)],
                environment: [:])
            #expect(Deadline.wait { publications.withLock { $0 } > 1 })
            #expect(!unconfirmed.withLock(\.isEmpty))
            #expect(!server.lines.contains { $0.contains("MQTT connected") })
            confirms.withLock { $0 = true }
            #expect(server.waitForLine { $0.contains("MQTT connected") } != nil)
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
        }

        @Test("the log has each reason for a missing broker once, whatever the number of attempts")
        func reasons() throws {
            let program = try #require(BuiltProgram.find("sightline-server"))
            let code = Guarded(Self.busy)
            let broker = try FakeBroker { _ in
                .answerAndClose(Self.refusal(code.withLock { $0 }))
            }
            let folder = try TemporaryFolder()
            let configuration = #"""
                {"mqtt": {"host": "127.0.0.1", "port": \#(broker.port), "protocol": "5"},
                 "http": {"listen": "unix:\#(folder.file("http"))"}, "stateDirectory": "\#(folder.file("state"))",
                 "sites": [{"site": "store", "queues": [{"queue": "exit", "entry": ["entry-1"], "till": ["till-1"]}]}]}
                """#
            try Data(configuration.utf8).write(
                to: URL(fileURLWithPath: folder.file("server.json")))
            let server = try ChildProcess(
                program, ["--config", folder.file("server.json")], environment: [:])
            func attempts(_ count: Int) -> Bool {
                let earlier = broker.levels.count
                return Deadline.wait { broker.levels.count >= earlier + count }
            }
            let lost = { (lines: [String]) in lines.filter { $0.contains("MQTT connection lost") } }
            #expect(attempts(3))
            #expect(server.waitForLines { lost($0).count >= 1 })
            #expect(lost(server.lines).count == 1, "\(server.lines)")
            code.withLock { $0 = Self.notAuthorised }
            #expect(attempts(3))
            #expect(server.waitForLines { lost($0).count >= 2 })
            #expect(lost(server.lines).count == 2, "\(server.lines)")
            code.withLock { $0 = Self.busy }
            #expect(attempts(2))
            code.withLock { $0 = Self.notAuthorised }
            #expect(attempts(2))
            #expect(lost(server.lines).count == 2, "\(server.lines)")
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
        }
    }
}
