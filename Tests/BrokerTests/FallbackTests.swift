import MQTT
import Posix
import Primitives
import Session
import TestSupport
import Testing

extension BrokerTests {
    @Suite("choosing the protocol version")
    struct FallbackTests {
        /// Accepts 3.1.1 with a CONNACK of success, session not present (MQTT 3.1.1, section 3.2).
        private static let accepted: [UInt8] = [0x20, 0x02, 0x00, 0x00]

        /// Connects as the uplink does, once a minute but without the waits.
        ///
        /// - Returns: the versions tried.
        private func connect(
            _ reconnect: inout Reconnect, to port: UInt16, attempts: Int
        ) throws -> [ProtocolVersion] {
            var tried: [ProtocolVersion] = []
            for attempt in 0..<attempts {
                tried.append(reconnect.version)
                let settings = ConnectionSettings(host: "127.0.0.1", port: port)
                guard let failed = try failure(of: settings, version: reconnect.version) else {
                    reconnect.connected(at: Instant(microseconds: Int64(attempt) * 60_000_000))
                    return tried
                }
                _ = reconnect.ended(
                    failed.cause, at: Instant(microseconds: Int64(attempt) * 60_000_000),
                    random: 0)
            }
            return tried
        }

        @Test("a broker that refuses version 5 with a 3.1.1 answer gets 3.1.1 immediately")
        func refusedInOldWords() throws {
            let broker = try FakeBroker { level in
                // CONNACK, unacceptable protocol version, in two bytes (MQTT 3.1.1, table 3.1).
                level == 5 ? .answerAndClose([0x20, 0x02, 0x00, 0x01]) : .answer(Self.accepted)
            }
            var reconnect = Reconnect(.automatic)
            #expect(try connect(&reconnect, to: broker.port, attempts: 5) == [.v5, .v311])
            #expect(broker.levels == [5, 4])
        }

        @Test("a broker that refuses version 5 with a version 5 answer gets 3.1.1 immediately")
        func refusedInNewWords() throws {
            let broker = try FakeBroker { level in
                // CONNACK, unsupported protocol version, no properties (MQTT 5, section 3.2).
                level == 5
                    ? .answerAndClose([0x20, 0x03, 0x00, 0x84, 0x00]) : .answer(Self.accepted)
            }
            var reconnect = Reconnect(.automatic)
            #expect(try connect(&reconnect, to: broker.port, attempts: 5) == [.v5, .v311])
        }

        @Test("a broker that closes the connection on version 5 gets 3.1.1 after the second close")
        func hangsUp() throws {
            let broker = try FakeBroker { level in
                level == 5 ? .answerAndClose([]) : .answer(Self.accepted)
            }
            var reconnect = Reconnect(.automatic)
            #expect(
                try connect(&reconnect, to: broker.port, attempts: 5) == [.v5, .v5, .v311])
        }

        @Test("an agent connects within 15 s to a broker that leaves version 5 unanswered")
        func leavesUnanswered() throws {
            let broker = try FakeBroker { level in
                level == 5 ? .silence : .answer(Self.accepted)
            }
            let settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            let session = BrokerSession(.init(BrokerEndpoint(settings, .automatic)))
            let deadline = Deadline(in: 15)
            while !session.isConnected, !deadline.hasPassed {
                let due = session.deadline(after: .now)
                let ready = try Poll.wait(for: [session.interest].compactMap(\.self), until: due)
                _ = session.service(ready[session.interest?.descriptor], at: .now)
            }
            #expect(session.isConnected)
            #expect(broker.levels == [5, 5, 4])
        }

        @Test("watch tries 3.1.1 at once after a broker closes the connection on version 5")
        func watches() throws {
            let broker = try FakeBroker { level in
                // The answer to each SUBSCRIBE grants it (MQTT 3.1.1, section 3.9).
                level == 5
                    ? .answerAndClose([])
                    : .serve(Self.accepted) { packet in
                        guard packet.first == 0x82, packet.count > 3 else { return [] }
                        return [0x90, 0x03, packet[2], packet[3], 0x00]
                    }
            }
            let watch = try ChildProcess(
                try #require(BuiltProgram.find("sightline")),
                ["watch", "--broker", "mqtt://127.0.0.1:\(broker.port)", "--seconds", "1"])
            // The broker has no gateway. Without a connection, the sentence would be another one.
            #expect(watch.waitForExit() == 1)
            #expect(
                watch.lines.count == 1
                    && watch.lines[0].hasPrefix("sightline: no gateway has published"),
                "\(watch.lines)")
            #expect(broker.levels == [5, 4])
        }

        @Test("a configured version is never changed")
        func fixed() throws {
            let broker = try FakeBroker { _ in .answerAndClose([0x20, 0x02, 0x00, 0x01]) }
            var reconnect = Reconnect(.fixed(.v311))
            let tried = try connect(&reconnect, to: broker.port, attempts: 3)
            #expect(tried == [.v311, .v311, .v311])
        }

        @Test("a broker that speaks version 5 gets it")
        func current() throws {
            let broker = try Broker()
            var reconnect = Reconnect(.automatic)
            #expect(try connect(&reconnect, to: broker.port, attempts: 5) == [.v5])
        }
    }
}
