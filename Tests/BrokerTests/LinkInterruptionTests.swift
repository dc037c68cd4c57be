import MQTT
import Posix
import Primitives
import Session
import Subscriber
import TestSupport
import Testing

extension BrokerTests {
    @Suite("a link that leaves messages to the broker")
    struct LinkInterruptionTests {
        private func link(_ broker: Broker, _ filters: [String] = ["in/#"]) -> BrokerSession {
            var settings = broker.settings()
            settings.clientID = "reader"
            settings.reading = DurableReading(expirySeconds: 600, receiveMaximum: 100)
            BrokenPipes.ignore()
            return BrokerSession(.init(settings, filters: filters))
        }

        /// The topics of the messages until `isDone`.
        private func serve(
            _ link: BrokerSession, _ what: String, until isDone: ([BrokerSession.Event]) -> Bool
        ) throws -> [String] {
            let deadline = Deadline(in: Deadline.limit)
            var events: [BrokerSession.Event] = []
            while !isDone(events) {
                try #require(!deadline.hasPassed, "\(what) did not happen")
                let ready = try Poll.wait(
                    for: [link.interest].compactMap(\.self), until: .now + .milliseconds(20))
                events += link.service(ready[link.interest?.descriptor], at: .now)
            }
            return events.compactMap {
                if case .message(let message) = $0 { message.topic } else { nil }
            }
        }

        private func publish(_ topics: [String], on broker: Broker) throws {
            let sender = try ConnectionDriver(to: broker.settings())
            for (token, topic) in topics.enumerated() {
                let message = Publication(topic: topic, payload: [])
                try sender.connection.publish(message, token: UInt64(token))
                _ = try sender.answer(to: UInt64(token))
            }
        }

        private func isSubscribed(_ events: [BrokerSession.Event]) -> Bool {
            events.contains { if case .subscribed = $0 { true } else { false } }
        }

        private func count(_ events: [BrokerSession.Event]) -> Int {
            events.count { if case .message = $0 { true } else { false } }
        }

        @Test("messages that were not acknowledged come again after the pause")
        func interruption() throws {
            let broker = try Broker()
            let link = link(broker)
            _ = try serve(link, "the subscription", until: isSubscribed)
            try publish(["in/1", "in/2"], on: broker)
            #expect(try serve(link, "both", until: { count($0) == 2 }) == ["in/1", "in/2"])
            link.interrupt(until: .now)
            #expect(link.unstored == 0)
            #expect(try serve(link, "both again", until: { count($0) == 2 }) == ["in/1", "in/2"])
            link.acknowledge()
            try publish(["in/3"], on: broker)
            #expect(try serve(link, "the third", until: { count($0) > 0 }) == ["in/3"])
        }

        /// CONNACK of version 5 (MQTT 5, section 3.2).
        private static func answer(_ code: UInt8) -> [UInt8] { [0x20, 0x03, 0x00, code, 0x00] }
        /// DISCONNECT with the reason "session taken over" (MQTT 5, section 3.14).
        private static let takenOver: [UInt8] = [0xe0, 0x02, 0x8e, 0x00]
        private static let notAuthorised: UInt8 = 0x87

        @Test(
            "each reason is an event once a loss, and the next connection is one too",
            arguments: [
                [answer(0) + takenOver],
                [answer(0), answer(notAuthorised), answer(notAuthorised)],
            ])
        func reasons(answers: [[UInt8]]) throws {
            let rest = Guarded(answers)
            let broker = try FakeBroker { _ in
                rest.withLock {
                    $0.isEmpty ? .answer(Self.answer(0)) : .answerAndClose($0.removeFirst())
                }
            }
            let settings = ConnectionSettings(
                host: "127.0.0.1", port: broker.port, clientID: "reader")
            let link = BrokerSession(.init(settings, filters: ["in/#"]))
            var events: [String] = []
            _ = try serve(link, "the next connection") { all in
                events = all.compactMap { event in
                    switch event {
                    case .connected(_, let isFirst): isFirst ? "connected" : "recovered"
                    case .lost(let reason), .failed(let reason): reason
                    default: nil
                    }
                }
                return events.contains("recovered")
            }
            #expect(events.first == "connected")
            #expect(events.count == Set(answers).count + 2, "\(events)")
        }

        @Test("a subscription that ends brings no more messages")
        func unsubscription() throws {
            let broker = try Broker()
            let link = link(broker, ["in/#", "other/#"])
            _ = try serve(link, "the subscription", until: isSubscribed)
            link.unsubscribe(from: ["in/#"])
            // The broker reads it before the next message of the same link.
            try link.publish(Publication(topic: "other/1", payload: []), token: 1)
            _ = try serve(link, "the first", until: { count($0) > 0 })
            try publish(["in/2", "other/2"], on: broker)
            #expect(try serve(link, "the other", until: { count($0) > 0 }) == ["other/2"])
        }
    }
}
