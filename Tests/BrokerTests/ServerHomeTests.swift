import Foundation
import TestSupport
import Testing

extension BrokerTests {
    @Suite("Home Assistant documents of the server")
    struct ServerHomeTests {
        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()

        @Test(
            "the documents follow Home Assistant's reference, and their templates read known and unknown states",
            .enabled(if: Tool.works("/usr/bin/python3", ["-c", "import jinja2"])))
        func discovery() throws {
            let broker = try Broker()
            defer { withExtendedLifetime(broker) {} }
            let witness = try Subscriber(to: "#", on: broker)
            let folder = try TemporaryFolder()
            try folder.write(
                #"""
                {"mqtt": {"host": "127.0.0.1", "port": \#(broker.port)}, "homeAssistant": {},
                 "http": {"listen": "unix:\#(folder.file("http"))"}, "stateDirectory": "\#(folder.file("state"))",
                 "sites": [{"site": "store-042", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]},
                                                            {"queue": "b_1.x", "entry": ["e"], "till": ["u"]}],
                  "regions": [{"region": "shop", "gateways": ["e"], "kind": "visitor"}]}]}
                """#, to: "server.json")
            let program = try #require(BuiltProgram.find("sightline-server"))
            let server = try ChildProcess(
                program, ["--config", folder.file("server.json")], environment: [:])
            for (start, count) in [
                ("sightline/results/v1/store-042/queues/", 2),
                ("homeassistant/device/_queues/", 2),
                ("sightline/results/v1/store-042/regions/", 1),
                ("homeassistant/device/_regions/", 1),
            ] {
                let isThere = witness.wait { seen in
                    Set(seen.map(\.topic)).count { $0.hasPrefix(start) } == count
                }
                #expect(isThere, "\(server.lines)")
            }
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
            #expect(witness.waitForMessage { $0.payload.contains(#""state":"offline""#) } != nil)
            var lines = witness.received.map { "\($0.topic) \($0.payload)" }
            #expect(lines.count { $0.hasPrefix("homeassistant/device/_queues/") } == 2)
            let examples = Self.root.appendingPathComponent("config/contract/examples/results")
            #expect(
                lines.contains {
                    $0.contains("_regions/") && $0.contains(#""device_class":"occupancy""#)
                })
            for name in ["queue.known", "queue.unknown", "region.known", "region.unknown"] {
                let path = examples.appendingPathComponent("\(name).json")
                let example = try String(contentsOf: path, encoding: .utf8)
                let place = name.hasPrefix("queue") ? "queues/q" : "regions/shop"
                lines.append("sightline/results/v1/store-042/\(place) \(example)")
            }
            let file = try folder.write(lines.joined(separator: "\n"), to: "messages")
            try Tool.run(
                Self.root.appendingPathComponent("Tests/Contract/check-discovery").path, [file])
        }
    }
}
