import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("while the broker is away")
    struct OutageTests {
        private func rememberingBroker() throws -> Broker {
            var options = Broker.Options()
            // The witness reconnects in its own time, and must receive every batch that the broker
            // accepted.
            options.remembers = true
            return try Broker(options)
        }

        private func witness(on broker: Broker) throws -> Subscriber {
            try Subscriber(to: "sightline/v1/#", on: broker, isRemembered: true)
        }

        private func checkContiguity(_ batches: [SeenBatch]) {
            for (earlier, later) in zip(batches, batches.dropFirst()) {
                #expect(later.start == earlier.end)
            }
        }

        @Test("a broker that is killed and comes back gets every batch")
        func killed() throws {
            let broker = try rememberingBroker()
            let witness = try witness(on: broker)
            var options = Gateway.Options()
            options.windowMs = 100
            let agent = try Gateway(port: broker.port, options)
            try witness.waitForBatch { $0.seq == 10 }
            broker.kill()
            try agent.waitForLog("<4>")
            #expect(agent.staysAlive(for: 3))
            try broker.restart()
            try witness.waitForBatch { $0.seq == 60 }
            try witness.waitForNumbers(upTo: 60)
            try agent.end()
            // The next start sends the batches that were unsent at the end.
            let batches = try witness.batches().filter { $0.seq <= 60 }
            #expect(batches.map(\.seq) == Array(0...60))
            #expect(batches.allSatisfy { $0.object["lost"] == nil })
            checkContiguity(batches)
            // A warning about the lost connection and one about failed attempts, but not one for
            // each attempt.
            #expect((1...3).contains(agent.complaints.count), "\(agent.complaints)")
        }

        @Test("batches that exceed a small outbox are declared lost by number")
        func smallOutbox() throws {
            let broker = try rememberingBroker()
            let witness = try witness(on: broker)
            var options = Gateway.Options()
            // One window exceeds the outbox, so that merging does not help. There are few windows,
            // so that a slow machine can send both new batches and the backlog.
            options.windowMs = 500
            options.beacons = 1200
            options.outbox["maxBytes"] = 65_536
            let agent = try Gateway(port: broker.port, options)
            try witness.waitForBatch { $0.seq == 5 }
            broker.kill()
            try agent.waitForLog("<4>")
            #expect(agent.staysAlive(for: 3.5))
            try broker.restart()
            let last = try witness.waitForBatch { $0.lost != nil }.seq
            try witness.waitForNumbers(upTo: last)
            try agent.end()
            let batches = try witness.batches()
            let received = Set(batches.map(\.seq))
            let parts = batches.compactMap { $0.object["part"] }
            #expect(!parts.isEmpty)
            let missing = (0...last).filter { !received.contains($0) }
            #expect(missing.count > 5)
            let declared = batches.compactMap(\.lost)
            #expect(declared.allSatisfy { $0.reason == "outbox-full" })
            #expect(declared.reduce(0) { $0 + $1.batches } == missing.count)
            for loss in declared {
                #expect(missing.filter(loss.range.contains).count == loss.batches)
                #expect(missing.contains(loss.range.lowerBound))
                #expect(missing.contains(loss.range.upperBound))
            }
        }

        @Test("a broker that is suspended and resumed gets each batch once")
        func suspended() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            var options = Gateway.Options()
            options.windowMs = 100
            let agent = try Gateway(port: broker.port, options)
            try witness.waitForBatch { $0.seq == 5 }
            broker.suspend()
            // The agent collects more batches than can be in flight.
            #expect(agent.staysAlive(for: 3))
            broker.resume()
            try witness.waitForNumbers(upTo: 45)
            try agent.end()
            // Stored batches arrive after newer ones.
            let seqs = witness.received.compactMap(\.batch).map(\.seq).filter { $0 <= 45 }
            #expect(seqs.sorted() == Array(0...45))
            checkContiguity(try witness.batches().filter { $0.seq <= 45 })
            #expect(agent.complaints.isEmpty)
        }

        @Test("an unreachable broker is logged once, and later gets all batches")
        func late() throws {
            let broker = try rememberingBroker()
            let witness = try witness(on: broker)
            // A clean stop, so that the broker saves its sessions.
            broker.stop()
            let agent = try Gateway(port: broker.port)
            try agent.waitForLog("can't reach broker 127.0.0.1:\(broker.port)")
            #expect(agent.staysAlive(for: 1.5))
            #expect(agent.complaints.count == 1)
            try broker.restart()
            try witness.waitForNumbers(upTo: 4)
            try agent.end()
            let batches = try witness.batches().filter { $0.seq <= 4 }
            #expect(batches.map(\.seq) == Array(0...4))
        }

        @Test("an unknown host name is logged once, and the agent still ends")
        func hostNotFound() throws {
            var options = Gateway.Options()
            options.host = "broker.invalid"
            let agent = try Gateway(port: 1883, options)
            try agent.waitForLog("broker.invalid")
            #expect(agent.staysAlive(for: 1))
            #expect(agent.complaints.count == 1, "\(agent.complaints)")
            // All batches are stored, and there is no connection to close.
            try agent.end()
            #expect(agent.process.lines.contains { $0.contains("stored for the next start") })
        }

        @Test("a wrong password is logged once and retried")
        func wrongPassword() throws {
            var server = Broker.Options()
            server.users = ["entry-1": "right"]
            let broker = try Broker(server)
            var options = Gateway.Options()
            options.mqtt["username"] = "entry-1"
            options.mqtt["passwordFile"] = try Gateway.passwordFile("wrong", in: broker.folder)
            try checkRefusal(of: Gateway(port: broker.port, options), by: broker, "user name")
        }

        @Test("a broker certificate of another authority is logged once and retried")
        func wrongAuthority() throws {
            let folder = try TemporaryFolder()
            let authority = try Certificates(in: folder)
            let others = try Certificates(in: folder, name: "others")
            var server = Broker.Options()
            server.tls = Broker.TLS(server: try authority.server(["IP:127.0.0.1"]))
            let broker = try Broker(server, folder: folder)
            var options = Gateway.Options()
            options.mqtt["tls"] = ["caFile": others.caFile]
            try checkRefusal(of: Gateway(port: broker.port, options), by: broker, "CA file")
        }

        private func checkRefusal(
            of agent: Gateway, by broker: Broker, _ words: String
        ) throws {
            try agent.waitForLog(words)
            var attempts = 0
            let deadline = Deadline()
            while attempts < 3, !deadline.hasPassed {
                #expect(agent.staysAlive(for: 0.1))
                attempts = broker.log.filter { $0.contains("New connection from") }.count
            }
            #expect(attempts >= 3, "\(broker.log)")
            #expect(agent.complaints.count == 1, "\(agent.complaints)")
        }
    }
}
