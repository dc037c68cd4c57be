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

        private func appears(_ path: String) -> Bool {
            let end = Deadline(in: 10)
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

        @Test("that can't be written are said once, with what to do, and stop nothing")
        func unwritable() throws {
            let folder = try TemporaryFolder()
            let agent = try start(folder.file("none/sightline.prom"))
            try agent.waitForLog("make the folder \(folder.file("none"))")
            try agent.end()
        }
    }
}
