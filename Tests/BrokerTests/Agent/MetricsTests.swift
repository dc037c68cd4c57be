import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("the agent's metrics")
    struct MetricsTests {
        private func start(_ textfile: String) throws -> Gateway {
            // No broker listens on this port: the agent writes metrics with or without a broker.
            var options = Gateway.Options()
            options.sections["metrics"] = ["textfile": textfile]
            return try Gateway(port: try Ports.free(), options)
        }

        /// Whether the file gets the value, long before the next health message.
        private func says(_ name: String, _ value: Int, at path: String) -> Bool {
            let line = #"\#nsightline_\#(name){site="store-042",gateway="entry-1"} \#(value)\#n"#
            return Deadline.wait(in: 6) {
                (try? String(contentsOfFile: path, encoding: .utf8))?.contains(line) == true
            }
        }

        private func appears(_ path: String) -> Bool {
            Deadline.wait { FileManager.default.fileExists(atPath: path) }
        }

        @Test("they are readable by all users without a broker, and removed at the end")
        func file() throws {
            let folder = try TemporaryFolder()
            let path = folder.file("sightline.prom")
            let agent = try start(path)
            #expect(appears(path))
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o644)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let labels = #"{site="store-042",gateway="entry-1"}"#
            #expect(text.contains("sightline_broker_connected\(labels) 0\n"))
            try agent.end()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }

        @Test("they follow the state of the radio and of the broker connection")
        func news() throws {
            let broker = try Broker()
            let folder = try TemporaryFolder()
            let path = folder.file("sightline.prom")
            var options = Gateway.Options()
            options.sections["metrics"] = ["textfile": path]
            let agent = try Gateway(port: broker.port, options)
            #expect(says("broker_connected", 1, at: path))
            #expect(says("radio_hearing", 1, at: path))
            broker.stop()
            #expect(says("broker_connected", 0, at: path))
            try agent.end()
        }

        @Test(
            "a metrics file that can't be written is logged with its remedy, and the agent continues"
        )
        func unwritable() throws {
            let folder = try TemporaryFolder()
            let agent = try start(folder.file("none/sightline.prom"))
            try agent.waitForLog("create the directory \(folder.file("none"))")
            try agent.end()
        }
    }
}
