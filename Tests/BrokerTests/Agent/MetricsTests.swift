import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("the agent's metrics")
    struct MetricsTests {
        private func start(_ textfile: String) throws -> Gateway {
            // Nobody listens there: metrics are about the gateway, with or without a broker.
            var options = Gateway.Options()
            options.sections["metrics"] = ["textfile": textfile]
            return try Gateway(port: try Ports.free(), options)
        }

        /// Whether the file says so soon, long before the next health.
        private func says(_ name: String, _ value: Int, at path: String) -> Bool {
            let line = #"\#nsightline_\#(name){site="store-042",gateway="entry-1"} \#(value)\#n"#
            let end = Deadline(in: 6)
            while !end.hasPassed {
                let text = try? String(contentsOfFile: path, encoding: .utf8)
                if text?.contains(line) == true { return true }
                usleep(20_000)
            }
            return false
        }

        private func appears(_ path: String) -> Bool {
            let end = Deadline()
            while !FileManager.default.fileExists(atPath: path), !end.hasPassed { usleep(20_000) }
            return FileManager.default.fileExists(atPath: path)
        }

        @Test("are there at once for others to read, without a broker, and gone with the agent")
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

        @Test("tell soon that the radio hears, and that the broker is there, or is no more")
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

        @Test("that can't be written are said once, with what to do, and stop nothing")
        func unwritable() throws {
            let folder = try TemporaryFolder()
            let agent = try start(folder.file("none/sightline.prom"))
            try agent.waitForLog("create the directory \(folder.file("none"))")
            try agent.end()
        }
    }
}
