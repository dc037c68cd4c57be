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
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
        }
    }
}
