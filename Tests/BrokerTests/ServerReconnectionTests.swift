import Foundation
import TestSupport
import Testing

extension BrokerTests {
    @Suite("a reload of the server with another broker, password or section homeAssistant")
    struct ServerReconnectionTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// - Parameters:
        ///   - mqtt: more keys of the section.
        ///   - more: more sections.
        private func configure(port: UInt16, mqtt: String = "", more: String = "") throws {
            try folder.write(
                #"""
                {"mqtt": {"host": "127.0.0.1", "port": \#(port)\#(mqtt)}, \#(more)
                 "http": {"listen": "unix:\#(folder.file("http"))"}, "stateDirectory": "\#(folder.file("state"))",
                 "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
                """#, to: "server.json")
        }

        private func start() throws -> ChildProcess {
            let program = try #require(BuiltProgram.find("sightline-server"))
            let server = try ChildProcess(
                program, ["--config", folder.file("server.json")], environment: [:])
            #expect(server.waitForLine { $0.contains("MQTT connected") } != nil)
            return server
        }

        /// - Returns: the log's line with `text`.
        private func reload(_ server: ChildProcess, _ text: String) throws -> String {
            let earlier = server.lines.count
            server.send(SIGHUP)
            let line = server.waitForLine(from: earlier) { $0.contains(text) }
            return try #require(line, "\(server.lines)")
        }

        @Test("another broker gets the connection, and the first one the state offline")
        func otherBroker() throws {
            let brokers = [try Broker(), try Broker()]
            defer { withExtendedLifetime(brokers) {} }
            let status = "sightline/results/v1/status/server"
            let witnesses = try brokers.map { try Subscriber(to: status, on: $0) }
            try configure(port: brokers[0].port)
            let server = try start()
            try configure(port: brokers[1].port)
            let line = try reload(server, "configuration read again")
            #expect(line.contains("changed=mqtt.port"), "\(line)")
            for (witness, state) in zip(witnesses, ["offline", "online"]) {
                let isSeen = witness.wait {
                    $0.last?.payload.contains(#""state":"\#(state)""#) == true
                }
                #expect(isSeen, "\(witness.received)")
            }
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
        }

        @Test("another password makes a new connection; a missing file leaves everything unchanged")
        func password() throws {
            var options = Broker.Options()
            options.users = ["server": "first"]
            let broker = try Broker(options)
            defer { withExtendedLifetime(broker) {} }
            let mqtt = #", "username": "server", "passwordFile": "\#(folder.file("password"))""#
            try folder.write("first", to: "password")
            try configure(port: broker.port, mqtt: mqtt)
            let server = try start()
            let same = try reload(server, "configuration read again")
            #expect(same.contains("changed=nothing"))
            #expect(!server.lines.contains { $0.contains("MQTT connection lost") })
            try FileManager.default.removeItem(atPath: folder.file("password"))
            let unchanged = try reload(server, "configuration unchanged")
            #expect(unchanged.contains("server.json: /mqtt/passwordFile: "), "\(unchanged)")
            #expect(!server.lines.contains { $0.contains("MQTT connection lost") })
            try folder.write("second", to: "password")
            let changed = try reload(server, "configuration read again")
            #expect(changed.contains(#"changed="a password or certificate""#), "\(changed)")
            #expect(server.waitForLine { $0.contains("not authorised") } != nil)
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
        }

        @Test("documents of Home Assistant come and go with the section, and follow its prefix")
        func home() throws {
            let broker = try Broker()
            defer { withExtendedLifetime(broker) {} }
            let witness = try Subscriber(to: "+/device/_queues/s_-q/config", on: broker)
            func waitForLast(_ expected: [(prefix: String, isEmpty: Bool)]) -> Bool {
                witness.wait { seen in
                    seen.suffix(expected.count).elementsEqual(expected) {
                        $0.topic.hasPrefix($1.prefix + "/") && $0.payload.isEmpty == $1.isEmpty
                    }
                }
            }
            try configure(port: broker.port)
            let server = try start()
            try configure(port: broker.port, more: #""homeAssistant": {},"#)
            let added = try reload(server, "configuration read again")
            #expect(added.contains("changed=homeAssistant"), "\(added)")
            #expect(waitForLast([("homeassistant", false)]), "\(witness.received)")
            try configure(port: broker.port, more: #""homeAssistant": {"discoveryPrefix": "ha"},"#)
            _ = try reload(server, "configuration read again")
            #expect(
                waitForLast([("homeassistant", true), ("ha", false)]), "\(witness.received)")
            try configure(port: broker.port)
            _ = try reload(server, "configuration read again")
            #expect(waitForLast([("ha", true)]), "\(witness.received)")
            #expect(!server.lines.contains { $0.contains("MQTT connection lost") })
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
        }
    }
}
