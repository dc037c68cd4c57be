import MQTT
import Posix
import Session
import TestSupport
import Testing

extension BrokerTests {
    /// Brokers that end the connection over a packet, and agents that must deliver all others.
    @Suite("packets that end connections")
    struct EndingPacketTests {
        /// A broker of MQTT 5 or 3.1.1 that refuses some packets, and counts what it takes.
        private final class StrictBroker: Sendable {
            enum Refusal: Sendable {
                case close
                /// DISCONNECT with a reason (MQTT 5, section 3.14).
                case reason(UInt8)
            }

            struct Seen: Sendable {
                var connections = 0
                /// The sizes of the PUBLISH packets without RETAIN.
                var taken: [Int] = []
                var retained = 0
                var subscriptions = 0
            }

            let seen = Guarded(Seen())

            func answer(
                _ packet: [UInt8], level: UInt8, _ refusal: Refusal,
                _ isRefused: ([UInt8]) -> Bool
            ) -> [UInt8]? {
                if isRefused(packet) {
                    guard case .reason(let code) = refusal else { return nil }
                    return [0xE0, 0x02, code, 0x00]
                }
                var body = packet.dropFirst(2)
                if packet.count > 129 { body = body.dropFirst() }
                switch packet[0] >> 4 {
                case 3:
                    let isRetained = packet[0] & 1 == 1
                    seen.withLock {
                        if isRetained { $0.retained += 1 } else { $0.taken.append(packet.count) }
                    }
                    guard packet[0] & 6 != 0 else { return [] }
                    let topic = Int(body[body.startIndex]) << 8 | Int(body[body.startIndex + 1])
                    let id = body.dropFirst(2 + topic).prefix(2)
                    return [0x40, 0x02] + id
                case 8:
                    seen.withLock { $0.subscriptions += 1 }
                    let id = body.prefix(2)
                    return level == 5 ? [0x90, 0x04] + id + [0, 0] : [0x90, 0x03] + id + [0]
                case 12: return [0xD0, 0x00]
                default: return []
                }
            }

            func start(
                level: UInt8, _ refusal: Refusal, _ isRefused: @escaping @Sendable ([UInt8]) -> Bool
            ) throws -> FakeBroker {
                try FakeBroker(onPort: 0) { [self] request in
                    guard request.level == level else {
                        // CONNACK, unacceptable protocol version (MQTT 3.1.1, table 3.1).
                        return .answerAndClose([0x20, 0x02, 0x00, 0x01])
                    }
                    seen.withLock { $0.connections += 1 }
                    let hello: [UInt8] = level == 5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
                    let hasRefused = Guarded(false)
                    return .serve(hello) { packet in
                        guard !hasRefused.withLock({ $0 }) else { return nil }
                        return self.answer(packet, level: level, refusal) { packet in
                            guard isRefused(packet) else { return false }
                            hasRefused.withLock { $0 = true }
                            return true
                        }
                    }
                }
            }
        }

        private func wait(
            for broker: StrictBroker, within seconds: Double = 10,
            _ isDone: (StrictBroker.Seen) -> Bool
        ) -> StrictBroker.Seen {
            let deadline = Deadline(in: seconds)
            while !deadline.hasPassed, !isDone(broker.seen.withLock { $0 }) {
                _ = try? Poll.wait(for: [], timeout: 20)
            }
            return broker.seen.withLock { $0 }
        }

        private func settings(_ fake: FakeBroker) -> ConnectionSettings {
            ConnectionSettings(host: "127.0.0.1", port: fake.port, clientID: "tester")
        }

        @Test("an optional subscription that ends connections is left out", arguments: [5, 4])
        func subscription(level: UInt8) throws {
            let broker = StrictBroker()
            let fake = try broker.start(level: level, .close) { packet in
                packet[0] >> 4 == 8 && packet.suffix(7).starts(with: "status".utf8)
            }
            let uplink = try UplinkDriver(to: settings(fake)) { $0.detectsDuplicates = true }
            uplink.post(0..<3)
            let seen = wait(for: broker) { $0.taken.count >= 3 }
            #expect(seen.taken.count >= 3)
            #expect(seen.connections == 3)
        }

        @Test(
            "with reason 0x95, a message that is too large costs one connection before others pass")
        func tooLargeWithReason() throws {
            let broker = StrictBroker()
            let fake = try broker.start(level: 5, .reason(0x95)) { packet in
                packet[0] >> 4 == 3 && packet.count > 3000
            }
            let uplink = try UplinkDriver(to: settings(fake))
            uplink.post(0..<1, sightings: 100)
            uplink.post(1..<4)
            let seen = wait(for: broker) { $0.taken.count >= 3 }
            #expect(seen.taken.count >= 3)
            // The third one follows the large message alone, after the others.
            #expect(seen.connections <= 3)
        }

        @Test("with reason 0x95, messages that are as large cost no further connections")
        func allTooLarge() throws {
            let broker = StrictBroker()
            let fake = try broker.start(level: 5, .reason(0x95)) { packet in
                packet[0] >> 4 == 3 && packet.count > 3000
            }
            let uplink = try UplinkDriver(to: settings(fake))
            uplink.post(0..<1, sightings: 100)
            uplink.post(1..<2)
            let first = wait(for: broker) { $0.connections >= 3 && $0.taken.count >= 1 }
            #expect(first.taken.count == 1)
            uplink.post(2..<6, sightings: 100)
            uplink.post(6..<7)
            let seen = wait(for: broker) { $0.taken.count >= 2 }
            #expect(seen.taken.count == 2)
            // Without the memory, there would be ten. A busy machine may cost one.
            #expect((3...4).contains(seen.connections))
        }

        @Test("a reason that the broker gives once loses no message", arguments: [0x95, 0x87])
        func reasonWithoutPacket(code: UInt8) throws {
            let broker = StrictBroker()
            let hasRefused = Guarded(false)
            let fake = try broker.start(level: 5, .reason(code)) { packet in
                packet[0] >> 4 == 3 && packet[0] & 1 == 0
                    && hasRefused.withLock { isOver in
                        defer { isOver = true }
                        return !isOver
                    }
            }
            let uplink = try UplinkDriver(to: settings(fake))
            uplink.post(0..<3)
            let seen = wait(for: broker) { $0.taken.count >= 3 }
            #expect(seen.taken.count >= 3)
        }

        @Test("without a reason, a large message costs two connections before others pass")
        func tooLarge() throws {
            let broker = StrictBroker()
            let fake = try broker.start(level: 4, .close) { packet in
                packet[0] >> 4 == 3 && packet.count > 3000
            }
            let uplink = try UplinkDriver(to: settings(fake))
            uplink.post(0..<1, sightings: 100)
            uplink.post(1..<4)
            let seen = wait(for: broker) { $0.taken.count >= 3 }
            #expect(seen.taken.count >= 3)
            // The fourth one is a trial of the large message alone, after the others.
            #expect(seen.connections <= 4)
        }

        @Test("a broker that closes on RETAIN gets messages without it", arguments: [5, 4])
        func retained(level: UInt8) throws {
            let broker = StrictBroker()
            let fake = try broker.start(level: level, .close) { packet in
                packet[0] >> 4 == 3 && packet[0] & 1 == 1
            }
            let uplink = try UplinkDriver(to: settings(fake))
            uplink.post(0..<3)
            let seen = wait(for: broker) { $0.taken.count >= 4 }
            #expect(seen.taken.count >= 4)
            #expect(seen.connections == 3)
        }

        @Test("a broker of QoS 0 gets all messages, without acknowledgements")
        func quality0() throws {
            let broker = StrictBroker()
            let fake = try FakeBroker(onPort: 0) { _ in
                // CONNACK, Maximum QoS 0 (MQTT 5, section 3.2.2.3.4).
                .serve([0x20, 5, 0, 0, 2, 0x24, 0]) { packet in
                    broker.answer(packet, level: 5, .close) {
                        $0[0] >> 4 == 3 && $0[0] & 6 != 0
                    }
                }
            }
            let uplink = try UplinkDriver(to: settings(fake))
            uplink.post(0..<50)
            #expect(wait(for: broker) { $0.taken.count >= 50 }.taken.count >= 50)
            try uplink.end()
        }

        @Test("all abilities of a CONNACK are read")
        func abilities() throws {
            let fake = try FakeBroker { _ in
                .serve([
                    0x20, 32, 0, 0, 29,  // CONNACK, success, properties (MQTT 5, section 3.2)
                    0x11, 0, 0, 0, 9,  // Session Expiry Interval
                    0x12, 0, 2, 0x69, 0x64,  // Assigned Client Identifier "id"
                    0x13, 0, 7,  // Server Keep Alive
                    0x21, 0, 3,  // Receive Maximum
                    0x24, 0,  // Maximum QoS
                    0x25, 0,  // Retain Available
                    0x27, 0, 0, 4, 0,  // Maximum Packet Size
                    0x28, 0,  // Wildcard Subscription Available
                    0x2A, 0,  // Shared Subscription Available
                ]) { _ in [] }
            }
            var settings = settings(fake)
            settings.clientID = ""
            let driver = ConnectionDriver(try Connection(to: settings, version: .v5))
            let abilities: BrokerAbilities = try driver.wait(for: "connected") {
                if case .connected(let abilities) = $0 { abilities } else { nil }
            }
            var expected = BrokerAbilities(version: .v5)
            expected.sessionExpirySeconds = 9
            expected.assignedClientID = "id"
            expected.keepAliveSeconds = 7
            expected.receiveMaximum = 3
            expected.maximumQuality = .atMostOnce
            expected.retains = false
            expected.maximumPacketSize = 1024
            expected.hasWildcards = false
            expected.hasSharedSubscriptions = false
            #expect(abilities == expected)
        }

        @Test("a broker that closes on a retained will gets none", arguments: [5, 4])
        func will(level: UInt8) throws {
            let broker = StrictBroker()
            let fake = try FakeBroker(onPort: 0) { request in
                guard request.level == level, !request.hasRetainedWill else {
                    return .answerAndClose([])
                }
                let hello: [UInt8] = level == 5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
                return .serve(hello) { packet in
                    broker.answer(packet, level: level, .close) { _ in false }
                }
            }
            let uplink = try UplinkDriver(to: settings(fake))
            uplink.post(0..<3)
            #expect(wait(for: broker) { $0.taken.count >= 3 }.taken.count >= 3)
        }
    }
}
