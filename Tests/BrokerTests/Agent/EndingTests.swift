import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("ending")
    struct EndingTests {
        @Test(
            "a signal publishes the open window and offline, and ends the agent",
            arguments: [SIGTERM, SIGINT])
        func signalled(signal: CInt) throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            var options = Gateway.Options()
            options.windowMs = 600_000
            let agent = try Gateway(port: broker.port, options)
            let online = try witness.waitForStatus("online")
            try agent.waitForLog("scanning")
            // Long enough for some reports; the window is ten minutes wide.
            #expect(agent.staysAlive(for: 0.5))
            #expect(try witness.batches().isEmpty)
            try agent.end(signal)
            let offline = try witness.waitForStatus("offline")
            #expect(offline["session"] as? String == online["session"] as? String)
            let batches = try witness.batches()
            #expect(batches.count == 1)
            #expect((batches.first?.count ?? 0) > 0)
            // The last message is offline, and a late subscriber receives it.
            #expect(witness.received.last?.topic.hasSuffix("/status") == true)
            let late = try Subscriber(to: "sightline/v1/+/+/status", on: broker)
            _ = try late.waitForStatus("offline")
            #expect(late.received.count == 1)
            #expect(late.received.first?.isRetained == true)
        }

        @Test(
            "with a broker that does not answer, a second signal ends the shutdown"
        )
        func secondSignal() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            let agent = try Gateway(port: broker.port)
            try witness.waitForBatch { $0.seq == 1 }
            broker.suspend()
            defer { broker.resume() }
            // A second signal immediately after the first one is the same request. The kernel would merge two alike.
            agent.process.send(SIGTERM)
            agent.process.send(SIGINT)
            try agent.waitForLog("ending")
            #expect(agent.staysAlive(for: 0.6))
            agent.process.send(SIGINT)
            #expect(agent.process.waitForExit() == 1)
            #expect(agent.process.lines.last == "sightlined: ended by a second signal")
        }

        @Test("with a broker that does not answer, the shutdown ends at its time limit")
        func unanswered() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            let agent = try Gateway(port: broker.port)
            try witness.waitForBatch { $0.seq == 1 }
            broker.suspend()
            try agent.end()
            #expect(agent.complaints.isEmpty)
            #expect(agent.process.lines.contains { $0.contains("stored for the next start") })
            broker.resume()
            // Without an offline message from the agent, the broker publishes the will.
            _ = try witness.waitForStatus("offline")
        }

        @Test("the will of a killed agent reports offline with its session")
        func killed() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            let agent = try Gateway(port: broker.port)
            let online = try witness.waitForStatus("online")
            agent.process.send(SIGKILL)
            let offline = try witness.waitForStatus("offline")
            #expect(offline["session"] as? String == online["session"] as? String)
            #expect(Set(offline.keys) == Set(online.keys))
            #expect(Set(online.keys) == ["v", "state", "session", "at", "version", "clock"])
        }
    }
}
