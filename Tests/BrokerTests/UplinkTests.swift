import MQTT
import Posix
import Session
import TestSupport
import Testing

extension BrokerTests {
    @Suite("the agent's uplink")
    struct UplinkTests {
        private func rememberingBroker() throws -> Broker {
            var options = Broker.Options()
            options.remembers = true
            return try Broker(options)
        }

        /// A message of health's numbers.
        private struct Numbers: Equatable {
            var published = -1
            var acknowledged = -1
            var refused = -1
            var lastLossAt: Int64?
            var waiting = -1
            var reconnects = -1

            init?(_ message: Subscriber.Received) {
                guard let health = message.object(of: "health") else { return nil }
                let messages = health["messages"] as? [String: Any]
                published = messages?["published"] as? Int ?? -1
                acknowledged = messages?["acknowledged"] as? Int ?? -1
                refused = messages?["refused"] as? Int ?? -1
                lastLossAt = messages?["lastLossAt"] as? Int64
                waiting = (health["outbox"] as? [String: Any])?["batches"] as? Int ?? -1
                reconnects = (health["broker"] as? [String: Any])?["reconnects"] as? Int ?? -1
            }
        }

        private func waitForNumbers(
            _ witness: Subscriber, where matches: (Numbers) -> Bool
        ) throws -> Numbers {
            let message = witness.waitForMessage { Numbers($0).map(matches) ?? false }
            guard let numbers = message.flatMap(Numbers.init) else {
                throw TestFailure("no such health: \(witness.received.suffix(3))")
            }
            return numbers
        }

        @Test(
            "no batch is lost when the broker is killed during traffic and restarted",
            arguments: [Reconnect.Choice.automatic, .fixed(.v311)])
        func brokerKilled(choice: Reconnect.Choice) throws {
            let broker = try rememberingBroker()
            let witness = try Subscriber(to: "sightline/#", on: broker, isRemembered: true)
            let uplink = try UplinkDriver(to: broker.settings(), choice: choice)
            for round in 0..<2 {
                let start = UInt64(round * 300)
                uplink.post(start..<start + 100)
                try witness.waitForBatch { $0.seq == start + 99 }
                // Some batches are in flight and will never be acknowledged.
                broker.suspend()
                uplink.post(start + 100..<start + 200)
                #expect(try uplink.staysAlive(milliseconds: 100))
                broker.kill()
                uplink.post(start + 200..<start + 300)
                try broker.restart()
                try witness.waitForBatch { $0.seq == start + 299 }
            }
            let numbers = try waitForNumbers(witness) { $0.acknowledged == 600 }
            #expect(numbers.published > 600)
            #expect(numbers.refused == 0)
            #expect(numbers.waiting == 0)
            #expect(numbers.reconnects >= 2)
            try uplink.end()
            #expect(try witness.batches().map(\.seq) == Array(0..<600))
        }

        @Test("a broker that is suspended and resumed gets all batches in order")
        func brokerSuspended() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let uplink = try UplinkDriver(to: broker.settings())
            uplink.post(0..<10)
            try witness.waitForBatch { $0.seq == 9 }
            broker.suspend()
            uplink.post(10..<100)
            #expect(try uplink.staysAlive(milliseconds: 300))
            broker.resume()
            try uplink.end()
            _ = try witness.waitForStatus("offline")
            #expect(witness.received.compactMap(\.batch?.seq) == Array(0..<100))
        }

        @Test("no more batches are in flight than the broker's receive maximum")
        func receiveMaximum() throws {
            var options = Broker.Options()
            options.lines = ["max_inflight_messages 3"]
            let broker = try Broker(options)
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let uplink = try UplinkDriver(to: broker.settings())
            _ = try waitForNumbers(witness) { $0.published == 0 }
            broker.suspend()
            uplink.post(0..<10)
            // The uplink's own messages wait with the batches.
            #expect(try uplink.staysAlive(milliseconds: 400))
            broker.resume()
            let numbers = try waitForNumbers(witness) { $0.waiting == 10 }
            #expect(numbers.published == 3)
            #expect(numbers.acknowledged == 0)
            #expect(numbers.lastLossAt == nil)
            try uplink.end()
            _ = try witness.waitForStatus("offline")
            #expect(witness.received.compactMap(\.batch?.seq) == Array(0..<10))
        }

        @Test("refused batches are discarded and counted")
        func notAuthorised() throws {
            var options = Broker.Options()
            let topic = "sightline/v1/store-042/entry-1"
            options.access = [
                "topic read #", "topic write \(topic)/status", "topic write \(topic)/health",
            ]
            let broker = try Broker(options)
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let begin = Clocks.wall.milliseconds
            let uplink = try UplinkDriver(to: broker.settings()) {
                $0.delivery.limits.refusedHold = .zero
            }
            uplink.post(0..<5)
            let numbers = try waitForNumbers(witness) { $0.refused == 5 }
            let lastLossAt = try #require(
                numbers.lastLossAt, "health counts refused batches, but has no lastLossAt")
            #expect((begin...Clocks.wall.milliseconds).contains(lastLossAt))
            #expect(numbers.waiting == 0)
            try uplink.end()
            _ = try witness.waitForStatus("offline")
            #expect(try witness.batches().isEmpty)
        }

        @Test("a refused batch is declared lost by the next accepted one")
        func refused() throws {
            var options = Broker.Options()
            options.lines = ["max_packet_size 2000"]
            let broker = try Broker(options)
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let uplink = try UplinkDriver(to: broker.settings())
            uplink.post(0..<2, sightings: 20)
            uplink.post(2..<4)
            let lost = try #require(try witness.waitForBatch { $0.seq == 2 }.lost)
            #expect(lost == (2, 0...1, "refused"))
            #expect(try witness.waitForBatch { $0.seq == 3 }.lost == nil)
            try uplink.end()
        }

        @Test("a missing number is declared lost by the next batch")
        func declaredLoss() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let uplink = try UplinkDriver(to: broker.settings())
            uplink.post(0..<2)
            uplink.post(5..<6)
            let lost = try #require(try witness.waitForBatch { $0.seq == 5 }.lost)
            #expect(lost == (3, 2...4, "mailbox-full"))
            try uplink.end()
        }

        @Test("health has the members of the contract, and is published again after an outage")
        func health() throws {
            let broker = try rememberingBroker()
            let witness = try Subscriber(to: "sightline/#", on: broker, isRemembered: true)
            let uplink = try UplinkDriver(to: broker.settings())
            uplink.post(0..<3)
            _ = try waitForNumbers(witness) { $0.acknowledged == 3 }
            let all = witness.received.compactMap { $0.object(of: "health") }
            let health = try #require(all.last)
            #expect(
                Set(health.keys) == [
                    "v", "session", "at", "uptimeSeconds", "radio", "messages", "broker", "outbox",
                    "process", "clock",
                ])
            let process = try #require(health["process"] as? [String: Any])
            #expect((process["residentBytes"] as? Int ?? 0) > 1 << 20)
            let newcomer = try Subscriber(to: "sightline/#", on: broker)
            let latest = newcomer.waitForMessage { $0.topic.hasSuffix("/health") }
            #expect(latest?.isRetained == true)
            broker.kill()
            uplink.post(3..<5)
            #expect(try uplink.staysAlive(milliseconds: 300))
            try broker.restart()
            let later = try waitForNumbers(witness) { $0.acknowledged == 5 }
            #expect(later.reconnects >= 1)
            try uplink.end()
        }

        @Test("temporarily refused batches are sent again soon, in order and unchanged")
        func refusedForNow() throws {
            let seen = PublishedPackets()
            // CONNACK of success, no properties (MQTT 5, section 3.2).
            let broker = try FakeBroker { _ in
                .serve([0x20, 0x03, 0x00, 0x00, 0x00]) { packet in
                    guard let publish = PublishedPackets.Packet(packet) else { return [] }
                    let isEarly =
                        publish.topic.hasSuffix("/sightings") && seen.add(publish.payload) <= 5
                    // PUBACK: packet identifier, then success, or quota exceeded (section 3.4).
                    return [0x40, 0x03] + publish.identifier + [isEarly ? 0x97 : 0x00]
                }
            }
            let settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            let uplink = try UplinkDriver(to: settings, choice: .fixed(.v5)) {
                $0.health.interval = .seconds(60)
            }
            uplink.post(0..<5)
            // Five refusals together cause one wait of at most half a second.
            let deadline = Deadline(in: 1.5)
            while seen.payloads.count < 10, !deadline.hasPassed {
                #expect(try uplink.staysAlive(milliseconds: 20))
            }
            let payloads = seen.payloads
            #expect(payloads.count == 10)
            #expect(Array(payloads.prefix(5)) == Array(payloads.dropFirst(5)))
            try uplink.end()
        }

        @Test("a broker that never answers is retried, and ignored at shutdown")
        func silence() throws {
            let broker = try FakeBroker { _ in .silence }
            var settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            settings.answerTimeout = .seconds(1)
            let uplink = try UplinkDriver(to: settings) { $0.shutdownTime = .milliseconds(300) }
            uplink.post(0..<3)
            let deadline = Deadline()
            while broker.levels.count < 2, !deadline.hasPassed {
                #expect(try uplink.staysAlive(milliseconds: 50))
            }
            #expect(broker.levels.count >= 2)
            try uplink.end()
        }

        @Test("without unsent batches and a connection, shutdown is immediate")
        func nothingToSay() throws {
            let settings = ConnectionSettings(host: "127.0.0.1", port: try Ports.free())
            let uplink = try UplinkDriver(to: settings) { $0.shutdownTime = .seconds(3600) }
            #expect(try uplink.staysAlive(milliseconds: 100))
            try uplink.end()
        }

        @Test("with a patient source, shutdown waits for all batches")
        func patient() throws {
            let broker = try rememberingBroker()
            let witness = try Subscriber(to: "sightline/#", on: broker, isRemembered: true)
            // A clean stop, so that the broker saves its sessions.
            broker.stop()
            let uplink = try UplinkDriver(to: broker.settings()) {
                $0.delivery.isPatient = true
                $0.shutdownTime = .zero
                $0.delivery.limits.maxBytes = 0
            }
            uplink.post(0..<30)
            #expect(throws: TestFailure.self) { try uplink.end(within: 0.5) }
            try broker.restart()
            try uplink.end()
            _ = try witness.waitForStatus("offline")
            #expect(try witness.batches().map(\.seq) == Array(0..<30))
        }
    }
}
