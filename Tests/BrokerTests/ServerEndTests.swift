import Foundation
import TestSupport
import Testing

extension BrokerTests {
    @Suite("the end of the server")
    struct ServerEndTests {
        @Test("the broker says offline, also if its acknowledgements are missing at the end")
        func unacknowledged() throws {
            var options = Broker.Options()
            // Each publication waits for the acknowledgement of the one before.
            options.lines = ["max_inflight_messages 1"]
            let broker = try Broker(options)
            let folder = try TemporaryFolder()
            let queues = (0..<30).map {
                #"{"queue": "q\#($0)", "entry": ["e"], "till": ["t\#($0)"]}"#
            }
            try folder.write(
                #"""
                {"mqtt": {"host": "127.0.0.1", "port": \#(broker.port)}, "homeAssistant": {},
                 "http": {"listen": "unix:\#(folder.file("http"))"}, "stateDirectory": "\#(folder.file("state"))",
                 "sites": [{"site": "s", "queues": [\#(queues.joined(separator: ","))]}]}
                """#, to: "server.json")
            let program = try #require(BuiltProgram.find("sightline-server"))
            let server = try ChildProcess(
                program, ["--config", folder.file("server.json")], environment: [:])
            let witness = try Subscriber(to: "sightline/results/v1/status/server", on: broker)
            #expect(witness.wait { $0.last?.payload.contains(#""state":"online""#) == true })
            #expect(server.waitForLine { $0.contains("MQTT connected") } != nil)
            broker.suspend()
            // Meanwhile publications are due: 30 documents of Home Assistant, and states each second.
            server.send(SIGHUP)
            #expect(server.waitForLine { $0.contains("configuration read again") } != nil)
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
            broker.resume()
            #expect(
                witness.wait { $0.last?.payload.contains(#""state":"offline""#) == true },
                "\(witness.received)")
        }
    }
}
