import Foundation
import MQTT
import Outbox
import Posix
import Session
import TestSupport
import Testing

extension BrokerTests {
    @Suite("several brokers, tried in order")
    struct SeveralBrokersTests {
        private func rememberingBroker() throws -> Broker {
            var options = Broker.Options()
            options.remembers = true
            return try Broker(options)
        }

        private func uplink(_ first: ConnectionSettings, _ second: Broker) throws -> UplinkDriver {
            try UplinkDriver(to: first) {
                $0.brokers.alternatives = [.init(second.settings(), .fixed(.v311))]
            }
        }

        private func numbers(_ witness: Subscriber) throws -> [Int] {
            try witness.batches().map(\.seq)
        }

        private func waitForHealth(from broker: Broker, _ witness: Subscriber) throws {
            let address = "127.0.0.1:\(broker.port)"
            let message = witness.waitForMessage {
                let members = $0.object(of: "health")?["broker"] as? [String: Any]
                return members?["address"] as? String == address
            }
            if message == nil { throw TestFailure("no health: \(witness.received.suffix(3))") }
        }

        @Test("the next broker gets the batches of a failed one, and back, without a gap")
        func failover() throws {
            let first = try rememberingBroker()
            let second = try rememberingBroker()
            let atFirst = try Subscriber(to: "sightline/#", on: first, isRemembered: true)
            let atSecond = try Subscriber(to: "sightline/#", on: second, isRemembered: true)
            let uplink = try uplink(first.settings(), second)
            uplink.post(0..<50)
            try atFirst.waitForBatch { $0.seq == 49 }
            try waitForHealth(from: first, atFirst)
            // Some batches are in flight and will never be acknowledged.
            first.suspend()
            uplink.post(50..<150)
            #expect(try uplink.staysAlive(milliseconds: 100))
            first.kill()
            try atSecond.waitForBatch { $0.seq == 149 }
            try waitForHealth(from: second, atSecond)
            try first.restart()
            uplink.post(150..<200)
            // It stays where it is.
            try atSecond.waitForBatch { $0.seq == 199 }
            second.kill()
            uplink.post(200..<250)
            try atFirst.waitForBatch { $0.seq == 249 }
            try second.restart()
            #expect(atSecond.isSubscribed(to: second))
            try uplink.end()
            _ = try atFirst.waitForStatus("offline")
            let numbers = Set(try numbers(atFirst) + numbers(atSecond))
            #expect(numbers == Set(0..<250))
            // But for those that the second had not answered when it was killed.
            let repeated = try self.numbers(atFirst).filter((150..<200).contains)
            #expect(repeated.allSatisfy { $0 >= 200 - OutboxLimits.widestWindow }, "\(repeated)")
        }

        @Test("an unusable broker and a refusing broker do not block the others")
        func unusable() throws {
            var options = Broker.Options()
            options.users = ["entry-1": "right"]
            let refusing = try Broker(options)
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            var settings = broker.settings()
            settings.tls = TLSSettings(caFile: "/nowhere/ca.pem")
            let uplink = try UplinkDriver(to: settings) {
                $0.brokers.alternatives = [
                    .init(refusing.settings(), .automatic), .init(broker.settings(), .automatic),
                ]
            }
            uplink.post(0..<3)
            try witness.waitForBatch { $0.seq == 2 }
            #expect(refusing.waitForLog("not authorised"))
            try uplink.end()
        }

        @Test(
            "the agent takes its brokers from the file, and logs each one's error once")
        func agent() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            var options = Gateway.Options()
            let alternatives: [[String: Any]] = [
                ["tls": ["caFile": "/nowhere/ca.pem"]],
                ["username": "u", "passwordFile": "/nowhere/password"],
                ["port": Int(broker.port)],
            ]
            options.mqtt["alternatives"] = alternatives
            let port = try Ports.free()
            let agent = try Gateway(port: port, options)
            try witness.waitForBatch { $0.seq == 2 }
            let connected = "msg=\"MQTT connected\" broker=127.0.0.1:\(broker.port)"
            for connections in 2...3 {
                broker.kill()
                #expect(agent.staysAlive(for: 1))
                try broker.restart()
                #expect(
                    agent.process.waitForLines { lines in
                        lines.count { $0.contains(connected) } == connections
                    })
            }
            try agent.end()
            let complaints = agent.complaints
            #expect(complaints.count { $0.contains("/nowhere/password") } == 1)
            #expect(complaints.count { $0.contains("/nowhere/ca.pem") } == 1)
            #expect(complaints.count { $0.contains("can't reach broker 127.0.0.1:\(port)") } == 1)
        }
    }
}
