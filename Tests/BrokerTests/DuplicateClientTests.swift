import Agent
import Foundation
import MQTT
import Posix
import Primitives
import TestSupport
import Testing

extension BrokerTests {
    @Suite("two agents with one name")
    struct DuplicateClientTests {
        private static let versions = [ProtocolVersion.v5, .v311]

        private func takeovers(_ witness: Subscriber, of session: String) -> Int {
            witness.received.reversed().lazy.compactMap { $0.object(of: "health") }
                .first { $0["session"] as? String == session }
                .flatMap { $0["broker"] as? [String: Any] }?["takeovers"] as? Int ?? 0
        }

        @Test("they pause between takeovers, and lose no batch", arguments: versions)
        func twoUplinks(version: ProtocolVersion) throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            // An agent remembers the other one for three pauses: connections must be shorter, and so the waits.
            let pause = Duration.seconds(2)
            let enough = 4
            let sessions = (1...2).map { Session(milliseconds: 0, random: ($0, $0)) }
            let begin = Instant.now
            let uplinks = try sessions.map { session in
                try UplinkDriver(to: broker.settings(), choice: .fixed(version)) {
                    $0.session = session
                    $0.detectsDuplicates = true
                    $0.brokers.takeoverPause = pause
                    // A connection lasts until the broker has answered, also on a busy machine.
                    $0.brokers.backoff = Backoff(base: .milliseconds(500), cap: pause)
                }
            }
            var posted: UInt64 = 0
            let end = Deadline()
            let names = sessions.map(\.description)
            while names.contains(where: { takeovers(witness, of: $0) < enough }), !end.hasPassed {
                for uplink in uplinks { uplink.post(posted..<posted + 1) }
                posted += 1
                #expect(try uplinks[0].staysAlive(milliseconds: 50))
            }
            for name in names { #expect(takeovers(witness, of: name) >= enough) }
            // At first the agents don't detect each other. After that, each one waits for at least
            // three quarters of the pause before it connects; without a pause, for a second on average.
            let connections = broker.log.count {
                $0.contains("New client connected") && $0.contains(" as tester ")
            }
            let mostPauses = (.now - begin) / (pause * 3 / 4)
            #expect(connections <= 8 + Int(mostPauses), "\(connections)")
            // Before the end, which leaves little time for what an agent still has.
            for name in names { try witness.waitForNumbers(upTo: Int(posted) - 1, of: name) }
            for uplink in uplinks { try uplink.end() }
            for name in names {
                let batches = try witness.batches(of: name)
                #expect(batches.map(\.seq) == Array(0..<Int(posted)))
                #expect(batches.allSatisfy { $0.lost == nil })
            }
        }

        @Test("both agents log it once with the remedy, and the takeovers stop")
        func twoAgents() throws {
            var server = Broker.Options()
            server.remembers = true
            let broker = try Broker(server)
            let witness = try Subscriber(to: "sightline/#", on: broker, isRemembered: true)
            var options = Gateway.Options()
            options.windowMs = 100
            options.mqtt["protocol"] = "3.1.1"
            options.outbox["backlogPerSecond"] = 1000
            let agents = try (0..<2).map { _ in try Gateway(port: broker.port, options) }
            let words = "another agent uses this gateway's name"
            for agent in agents { try agent.waitForLog(words) }
            // One of the agents stays disconnected for as long as the test waits.
            #expect(
                Deadline.wait {
                    agents.contains { agent in
                        agent.process.lines.contains { $0.contains("another client uses") }
                    }
                })
            #expect(agents.allSatisfy { $0.staysAlive(for: 2) })
            let connections = broker.log.count {
                $0.contains("New client connected") && $0.contains("store-042/entry-1")
            }
            #expect((3...8).contains(connections))
            for agent in agents {
                #expect(agent.complaints.count { $0.contains(words) } == 1)
                let sentence = agent.complaints.first { $0.contains(words) } ?? ""
                #expect(sentence.contains("gateway.id"))
                #expect(sentence.contains("client=store-042/entry-1"))
                try agent.end()
            }
            let sessions = Set(witness.received.compactMap(\.batch?.session))
            #expect(sessions.count == 2)
            // The next start sends the loser's stored batches, also those that were in flight at the
            // takeover. The end says which agent lost: on a busy machine, each was taken over once.
            let stored = { (agent: Gateway) in
                agent.process.lines.first { $0.contains("stored for the next start") }?
                    .split(separator: "=").last.flatMap { Int($0) }
            }
            let loser = try #require(agents.first { stored($0) != nil })
            let left = try #require(stored(loser))
            let messages = { (received: [Subscriber.Received]) in
                received.compactMap(\.batch).count { sessions.contains($0.session) }
            }
            let sent = messages(witness.received)
            let next = try Gateway(port: broker.port, options, folder: loser.folder)
            #expect(witness.wait { messages($0) >= sent + left })
            try next.end()
            for session in sessions {
                let batches = try witness.batches(of: session)
                #expect(batches.map(\.seq) == Array(0..<batches.count))
                #expect(batches.allSatisfy { $0.lost == nil })
            }
            #expect(
                !next.complaints.contains { $0.contains(words) },
                "its own earlier session is no duplicate")
        }

        @Test("a takeover that the broker reports starts the pause immediately")
        func said() throws {
            // CONNACK of success, then DISCONNECT, session taken over (MQTT 5, sections 3.2 and 3.14).
            let connections = Guarded(0)
            let broker = try FakeBroker { _ in
                connections.withLock { $0 += 1 }
                return .answerAndClose([0x20, 0x03, 0x00, 0x00, 0x00, 0xE0, 0x02, 0x8E, 0x00])
            }
            let settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            let uplink = try UplinkDriver(to: settings, choice: .fixed(.v5)) {
                $0.brokers.takeoverPause = .seconds(60)
            }
            let end = Deadline()
            while connections.withLock({ $0 }) == 0, !end.hasPassed {
                #expect(try uplink.staysAlive(milliseconds: 20))
            }
            // Ten times the longest wait between two attempts.
            #expect(try uplink.staysAlive(milliseconds: 1000))
            #expect(connections.withLock { $0 } == 1)
            try uplink.end()
        }

        @Test("a killed agent is no duplicate of its next start")
        func ownPast() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let first = try Gateway(port: broker.port)
            try witness.waitForBatch { $0.seq == 2 }
            let session = try #require(witness.received.compactMap(\.batch?.session).first)
            first.process.send(SIGKILL)
            _ = first.process.waitForExit()
            let second = try Gateway(port: broker.port, folder: first.folder)
            try witness.waitForBatch { $0.session != session && $0.seq == 2 }
            try second.end()
            #expect(second.complaints == [])
        }

        @Test("a gateway that may not read its own status works, and logs nothing")
        func unreadable() throws {
            var options = Broker.Options()
            let topic = "sightline/v1/store-042/entry-1"
            options.access = ["topic write \(topic)/#", "topic read \(topic)/sightings"]
            let broker = try Broker(options)
            let witness = try Subscriber(to: "sightline/v1/+/+/sightings", on: broker)
            let agent = try Gateway(port: broker.port)
            try witness.waitForBatch { $0.seq == 2 }
            try agent.end()
            #expect(agent.complaints == [])
        }
    }
}
