import Foundation
import TestSupport
import Testing

extension BrokerTests {
    @Suite("a server whose user may not write results")
    struct ServerRefusalTests {
        @Test(
            "the log names each kind of topic once, and /healthz and the metrics have the refusals")
        func refusal() throws {
            var options = Broker.Options()
            options.access = [
                "topic readwrite sightline/v1/#", "topic read sightline/results/v1/#",
                "topic write sightline/results/v1/status/#",
            ]
            let broker = try Broker(options)
            defer { withExtendedLifetime(broker) {} }
            let folder = try TemporaryFolder()
            let socket = folder.file("http")
            try folder.write(
                #"""
                {"mqtt": {"host": "127.0.0.1", "port": \#(broker.port)}, "homeAssistant": {},
                 "http": {"listen": "unix:\#(socket)"}, "stateDirectory": "\#(folder.file("state"))",
                 "sites": [{"site": "s", "queues": [{"queue": "a", "entry": ["e"], "till": ["t"]},
                                                    {"queue": "b", "entry": ["e"], "till": ["u"]}]}]}
                """#, to: "server.json")
            let program = try #require(BuiltProgram.find("sightline-server"))
            let server = try ChildProcess(
                program, ["--config", folder.file("server.json")], environment: [:])
            #expect(server.waitForLine { $0.contains("listening") } != nil)
            func get(_ path: String) throws -> String { try Exchange(path, at: socket).read() }
            // Two documents of Home Assistant and two states.
            let count = "sightline_server_refused_publications_total "
            let isCounted = try Deadline.wait {
                let line = try get("/metrics").split(separator: "\n").first { $0.hasPrefix(count) }
                return (line.flatMap { Int($0.dropFirst(count.count)) } ?? 0) >= 4
            }
            #expect(isCounted, "\(server.lines)")
            let health = try get("/healthz")
            #expect(health.hasPrefix("HTTP/1.1 503"))
            #expect(
                health.contains(
                    "The broker refuses results for homeassistant/device/_queues/s_-a/config and 3 more, "
                        + "not authorised (0x87): allow the server's user to write"), "\(health)")
            let lines = server.lines.filter { $0.contains("broker refused a publication") }
            #expect(lines.count == 2, "\(server.lines)")
            #expect(lines.allSatisfy { $0.contains("access list (ACL)") }, "\(lines)")
            #expect(lines.contains { $0.contains("topic=sightline/results/v1/s/queues/a ") })
            #expect(
                lines.contains { $0.contains("topic=homeassistant/device/_queues/s_-a/config") })
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
        }
    }
}
