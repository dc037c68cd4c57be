import Foundation
import Posix
import TestSupport
import Testing

extension BrokerTests {
    /// Packets that break libmosquitto, or that it refuses. The process of the connection ends, and no more.
    @Suite("a broker that sends invalid packets")
    struct InvalidPacketTests {
        /// CONNACK of success, no properties (MQTT 5, section 3.2).
        private static let accepted: [UInt8] = [0x20, 0x03, 0x00, 0x00, 0x00]
        private static let sentence = "the broker sent an invalid packet"

        /// What follows CONNECT.
        struct Answer: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let bytes: [UInt8]

            init(_ name: String, _ bytes: [UInt8]) {
                testDescription = name
                self.bytes = bytes
            }
        }

        static let answers = [
            // The library of Debian 12 aborts.
            Answer("CONNACK with an unknown property", [0x20, 0x04, 0x00, 0x00, 0x01, 0x7f]),
            Answer(
                "PUBLISH with an unknown property",
                accepted + [0x30, 0x06, 0x00, 0x01, 0x61, 0x01, 0x7f, 0x00]),
            Answer("a length of five bytes", accepted + [0x30, 0xff, 0xff, 0xff, 0xff, 0x01]),
            Answer("a packet type that is reserved", accepted + [0x00, 0x00]),
            Answer("PUBLISH of QoS 3", accepted + [0x36, 0x05, 0x00, 0x01, 0x61, 0x00, 0x01]),
            Answer("bytes that are no MQTT", Array(1...200)),
        ]

        static let commands: [[String]] = [
            ["status"], ["watch"],
            ["tune", "--site", "s", "--gateway", "g", "report.windowMs=500"],
            ["tune", "--site", "s", "--gateway", "g", "--history"],
        ]

        @Test(
            "a command says so in one sentence", arguments: commands, answers)
        func command(arguments: [String], answer: Answer) throws {
            let broker = try FakeBroker { _ in .answer(answer.bytes) }
            let command = try ChildProcess(
                try #require(BuiltProgram.find("sightline")),
                arguments + ["--broker", "mqtt://127.0.0.1:\(broker.port)"], environment: [:])
            #expect(command.waitForExit() == 1)
            #expect(command.lines.count == 1, "\(command.lines)")
            #expect(command.lines.first?.contains(Self.sentence) == true, "\(command.lines)")
        }

        @Test("the doctor says so at its check of the login", arguments: answers)
        func doctor(answer: Answer) throws {
            let broker = try FakeBroker { _ in .answer(answer.bytes) }
            let folder = try TemporaryFolder()
            try folder.write(
                #"""
                {"gateway": {"site": "s", "id": "g"}, "radio": {"source": "h4:tcp:127.0.0.1:1"},
                 "mqtt": {"host": "127.0.0.1", "port": \#(broker.port)}}
                """#, to: "sightlined.json")
            let doctor = try ChildProcess(
                try #require(BuiltProgram.find("sightline")),
                ["doctor", "--json", "--config", folder.file("sightlined.json")])
            #expect(doctor.waitForExit() == 1)
            let login = doctor.lines.first { $0.contains(#""check":"login""#) }
            #expect(login?.contains(Self.sentence) == true, "\(doctor.lines)")
        }

        @Test("the server connects again, and goes on", arguments: answers)
        func server(answer: Answer) throws {
            let attempts = Guarded(0)
            let broker = try FakeBroker { _ in
                let isFirst = attempts.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { return .answer(answer.bytes) }
                return .serve(Self.accepted) { packet in
                    // SUBACK of success, no properties (section 3.9).
                    guard packet.first == 0x82 else { return [] }
                    return [0x90, 0x04] + packet[2..<4] + [0x00, 0x01]
                }
            }
            let folder = try TemporaryFolder()
            try folder.write(
                #"""
                {"mqtt": {"host": "127.0.0.1", "port": \#(broker.port), "protocol": "5"},
                 "http": {"listen": "unix:\#(folder.file("http"))"}, "stateDirectory": "\#(folder.file("state"))",
                 "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
                """#, to: "server.json")
            let server = try ChildProcess(
                try #require(BuiltProgram.find("sightline-server")),
                ["--config", folder.file("server.json")], environment: [:])
            #expect(server.waitForLine { $0.contains("MQTT connected") } != nil, "\(server.lines)")
            let reports = server.lines.filter { $0.contains(Self.sentence) }
            #expect(reports.count == 1, "\(server.lines)")
            #expect(server.lines.allSatisfy { !$0.contains("Assertion") })
            #expect(try Exchange("/healthz", at: folder.file("http")).read().hasPrefix("HTTP/1.1"))
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
        }
    }
}
