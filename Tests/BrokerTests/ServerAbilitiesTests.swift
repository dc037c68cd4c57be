import Foundation
import TestSupport
import Testing

extension BrokerTests {
    @Suite("a server at a broker that lacks an ability")
    struct ServerAbilitiesTests {
        @Test(
            "the log and /healthz name the lack and the remedy, and the server connects",
            arguments: [
                ("retain_available false", "The broker keeps no retained messages"),
                ("max_qos 0", "The broker supports only QoS 0"),
            ])
        func lack(line: String, fault: String) throws {
            var options = Broker.Options()
            options.lines = [line]
            let broker = try Broker(options)
            defer { withExtendedLifetime(broker) {} }
            let folder = try TemporaryFolder()
            let socket = folder.file("http")
            try folder.write(
                #"""
                {"mqtt": {"host": "127.0.0.1", "port": \#(broker.port)},
                 "http": {"listen": "unix:\#(socket)"}, "stateDirectory": "\#(folder.file("state"))",
                 "sites": [{"site": "s", "queues": [{"queue": "a", "entry": ["e"], "till": ["t"]}]}]}
                """#, to: "server.json")
            let program = try #require(BuiltProgram.find("sightline-server"))
            let server = try ChildProcess(
                program, ["--config", folder.file("server.json")], environment: [:])
            #expect(server.waitForLine { $0.contains("MQTT connected") } != nil)
            #expect(server.lines.contains { $0.contains(fault) }, "\(server.lines)")
            // The broker refuses the will of the first attempt, which is no lost connection.
            #expect(!server.lines.contains { $0.contains("connection lost") }, "\(server.lines)")
            let health = try Exchange("/healthz", at: socket).read()
            #expect(health.hasPrefix("HTTP/1.1 503"))
            #expect(health.contains(fault), "\(health)")
            // Only a broker that keeps the status of gateways shows that it has none.
            let doctor = try ChildProcess(
                program, ["doctor", "--config", folder.file("server.json")], environment: [:])
            #expect(doctor.waitForExit() == 1)
            let gateways = doctor.lines.filter { $0.contains(" s/") && $0.contains("gateway") }
            let outcome = line.contains("retain") ? "skipped" : "wrong"
            #expect(gateways.count == 2, "\(doctor.lines)")
            #expect(gateways.allSatisfy { $0.hasPrefix(outcome) }, "\(doctor.lines)")
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
        }
    }
}
