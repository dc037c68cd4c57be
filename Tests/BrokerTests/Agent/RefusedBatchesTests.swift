import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("batches that the broker refuses")
    struct RefusedBatchesTests {
        private static let topic = "sightline/v1/store-042/entry-1"
        private static let rights = [
            "topic read #", "topic write \(topic)/status", "topic write \(topic)/health",
        ]

        /// A broker that refuses the gateway's sightings.
        private func broker(allowing more: [String] = []) throws -> Broker {
            var options = Broker.Options()
            options.access = Self.rights + more
            return try Broker(options)
        }

        private func waitForRefusals(_ count: Int, _ witness: Subscriber) throws {
            let message = witness.waitForMessage {
                guard let health = $0.object(of: "health"),
                    let messages = health["messages"] as? [String: Any]
                else { return false }
                return messages["refused"] as? Int ?? 0 >= count
            }
            if message == nil { throw TestFailure("no \(count) refusals") }
        }

        @Test("they are logged once with the remedy")
        func notAuthorised() throws {
            let broker = try broker(allowing: ["topic write \(Self.topic)/config/reported"])
            var options = Gateway.Options()
            options.windowMs = 100
            // The loss stays in memory, so that the end reports it.
            options.outbox = ["refusedHoldMs": 0, "spillAfterMs": 3_600_000]
            let agent = try Gateway(port: broker.port, options)
            #expect(
                broker.waitForLog("Denied PUBLISH from store-042/entry-1"))
            // The broker refuses about twenty more batches.
            #expect(agent.staysAlive(for: 2))
            try agent.end()
            // The second line, at the end, has the total loss, because no message declared it.
            #expect(agent.complaints.count == 2, "\(agent.complaints)")
            #expect(agent.complaints.last?.contains("batches lost") == true)
            #expect(agent.complaints.last?.contains("reason=refused") == true)
            #expect(agent.complaints.first?.contains("access list") == true)
            #expect(agent.complaints.first?.contains("topic=\(Self.topic)/sightings") == true)
            #expect(broker.log.count { $0.contains("Denied PUBLISH") } > 5)
        }

        @Test("their loss survives kill -9, although the broker answers")
        func killed() throws {
            let broker = try broker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            var options = Gateway.Options()
            options.windowMs = 100
            options.outbox = ["refusedHoldMs": 0, "spillAfterMs": 500]
            let agent = try Gateway(port: broker.port, options)
            let end = Deadline()
            let denied = { broker.log.count { $0.contains("Denied PUBLISH") } }
            while denied() < 30, !end.hasPassed { #expect(agent.staysAlive(for: 0.05)) }
            agent.process.send(SIGKILL)
            _ = agent.process.waitForExit()
            let status = witness.received.lazy.compactMap { $0.object(of: "status") }.first
            try broker.allow(Self.rights + ["topic write \(Self.topic)/sightings"])
            let next = try Gateway(port: broker.port, options, folder: agent.folder)
            // A row of the killed session declares its loss, or the log has it.
            let session = try #require(status?["session"] as? String)
            let inLog = {
                next.complaints.first { $0.contains("batches lost") && $0.contains(session) }
            }
            let inMessage = { try witness.batches(of: session).compactMap(\.lost?.batches).max() }
            while inLog() == nil, try inMessage() == nil, !end.hasPassed {
                #expect(next.staysAlive(for: 0.05))
            }
            let logged = inLog()?.split(separator: " ").first { $0.hasPrefix("batches=") }
                .flatMap { Int($0.dropFirst(8)) }
            let declared = try inMessage()
            // The last half second, and a busy machine's delay, may be missing.
            #expect(logged ?? declared ?? 0 >= 15, "\(next.process.lines)")
            try next.end()
        }

        @Test("an error in the access list that is corrected in time costs no batch")
        func heldBack() throws {
            let broker = try broker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            var options = Gateway.Options()
            options.windowMs = 100
            options.outbox["backlogPerSecond"] = 1000
            let agent = try Gateway(port: broker.port, options)
            #expect(broker.waitForLog("Denied PUBLISH"))
            // Some windows pass in which the broker would refuse every batch.
            #expect(agent.staysAlive(for: 2))
            try broker.allow(Self.rights + ["topic write \(Self.topic)/sightings"])
            try witness.waitForNumbers(upTo: 30)
            try agent.end()
            let seqs = try witness.batches().map(\.seq)
            #expect(seqs == Array(0..<seqs.count))
            #expect(witness.received.compactMap(\.batch).allSatisfy { $0.lost == nil })
            let refusals = agent.complaints.filter { $0.contains("topic=\(Self.topic)/sightings") }
            #expect(refusals.count == 1)
            #expect(refusals.first?.contains("access list") == true)
        }

        @Test("they are logged again after an accepted batch, and declared lost")
        func tooLarge() throws {
            var server = Broker.Options()
            server.lines = ["max_packet_size 3000"]
            let broker = try Broker(server)
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            var options = Gateway.Options()
            options.windowMs = 100
            options.beacons = 30
            // The first part of each window is too large, and the last part fits.
            options.sections["report"] = [
                "windowMs": 100, "maxSilenceMs": 0, "maxSightingsPerMessage": 29,
            ]
            let agent = try Gateway(port: broker.port, options)
            let lost = try witness.waitForBatch { $0.lost != nil }.lost
            #expect(lost?.reason == "refused")
            try agent.end()
            #expect(
                agent.complaints.contains { $0.contains("lower report.maxSightingsPerMessage") })
        }
    }
}
