import Agent
import Configuration
import Contract
import MQTT
import Outbox
import Posix
import Primitives
import TestSupport
import Testing

extension BrokerTests {
    /// Brokers that lose, refuse or overwrite messages while the connection stays.
    @Suite("brokers that misbehave")
    struct HostileBrokerTests {
        /// CONNACK of success, no properties (MQTT 5, section 3.2).
        private static let accepted: [UInt8] = [0x20, 0x03, 0x00, 0x00, 0x00]
        private static let pingRequest: UInt8 = 0xc0
        private static let pingResponse: [UInt8] = [0xd0, 0x00]

        /// PUBACK with a reason (section 3.4).
        private static func acknowledgement(
            of packet: PublishedPackets.Packet, _ code: ReasonCode = .success
        ) -> [UInt8] {
            [0x40, 0x03] + packet.identifier + [code.rawValue]
        }

        /// SUBACK with a reason, no properties (section 3.9); `nil` for another packet than SUBSCRIBE.
        private static func acknowledgement(
            ofSubscription packet: [UInt8], _ code: ReasonCode
        ) -> (topic: String, answer: [UInt8])? {
            guard packet.first == 0x82, packet.count > 7 else { return nil }
            // Type, length, identifier, no properties, the topic's length and text, options.
            let topic = String(decoding: packet[7..<packet.count - 1], as: UTF8.self)
            return (topic, [0x90, 0x04] + packet[2..<4] + [0x00, code.rawValue])
        }

        @Test("a broker that answers pings, but acknowledges nothing, loses the connection")
        func swallowed() throws {
            let broker = try FakeBroker { _ in
                .serve(Self.accepted) { $0.first == Self.pingRequest ? Self.pingResponse : [] }
            }
            var settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            settings.keepAliveSeconds = 5
            let driver = try ConnectionDriver(to: settings)
            try driver.connection.publish(Publication(topic: "t", payload: []), token: 1)
            let ended = try driver.end()
            #expect("\(ended)".contains("does not acknowledge"))
        }

        @Test("messages and subscriptions that are refused for now are sent again")
        func refusedForNow() throws {
            let topics = try #require(Topics(site: "store-042", gateway: "entry-1"))
            let state = Guarded((refusals: [String: Int](), accepted: Set<String>()))
            let answer = { @Sendable (key: String) -> ReasonCode in
                state.withLock { state in
                    state.refusals[key, default: 0] += 1
                    if state.refusals[key, default: 0] <= 2 { return .quotaExceeded }
                    state.accepted.insert(key)
                    return .success
                }
            }
            let broker = try FakeBroker { _ in
                .serve(Self.accepted) { packet in
                    if let publish = PublishedPackets.Packet(packet) {
                        return Self.acknowledgement(of: publish, answer("to " + publish.topic))
                    }
                    guard let (topic, _) = Self.acknowledgement(ofSubscription: packet, .success)
                    else { return [] }
                    let code = answer("from " + topic)
                    return Self.acknowledgement(ofSubscription: packet, code)?.answer ?? []
                }
            }
            let settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            let uplink = try UplinkDriver(to: settings, choice: .fixed(.v5)) {
                $0.reconciler = SettingsReconciler(local: .object([]), settings: GatewaySettings())
                $0.detectsDuplicates = true
                $0.homeAssistant = HomeAssistantSettings()
            }
            let discovery = "homeassistant/device/store-042/entry-1/config"
            let published = [.status, .reported, .trackers].map { topics.topic($0) } + [discovery]
            let subscribed =
                Topics.Layer.allCases.map(topics.desired) + [topics.topic(.status), discovery]
            let wanted = Set(published.map { "to " + $0 } + subscribed.map { "from " + $0 })
            let end = Deadline(in: 60)
            while state.withLock({ $0.accepted }) != wanted, !end.hasPassed {
                #expect(try uplink.staysAlive(milliseconds: 20))
            }
            #expect(state.withLock { $0.accepted } == wanted)
            try uplink.end()
        }

        @Test("offline is the last message, although a backlog is stored")
        func farewell() throws {
            let folder = try TemporaryFolder()
            let disk = DatabaseFile(path: folder.file("outbox.sqlite"), maxBytes: 1 << 20)
            let away = ConnectionSettings(host: "127.0.0.1", port: try Ports.free())
            let earlier = try UplinkDriver(to: away) { $0.delivery.disk = disk }
            earlier.post(0..<50)
            try earlier.end()
            let published = Guarded<[String]>([])
            let broker = try FakeBroker { _ in
                .serve(Self.accepted) { packet in
                    guard let publish = PublishedPackets.Packet(packet) else { return [] }
                    published.withLock { $0.append(publish.topic) }
                    let isOffline = String(decoding: publish.payload, as: UTF8.self)
                        .contains("offline")
                    // The farewell stays unanswered until the time limit of the shutdown.
                    return isOffline ? [] : Self.acknowledgement(of: publish)
                }
            }
            let settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            let uplink = try UplinkDriver(to: settings, choice: .fixed(.v5)) {
                $0.session = Session(milliseconds: 1, random: (3, 4))
                $0.delivery.disk = disk
                // The backlog begins within two seconds of the connection.
                $0.shutdownTime = .seconds(4)
            }
            let end = Deadline()
            while published.withLock({ $0.isEmpty }), !end.hasPassed {
                #expect(try uplink.staysAlive(milliseconds: 5))
            }
            try uplink.end()
            #expect(published.withLock { $0.last }?.hasSuffix("/status") == true)
        }

        @Test("a status that a late will overwrites is published again")
        func lateWill() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let topics = try #require(Topics(site: "store-042", gateway: "entry-1"))
            let session = Session(milliseconds: 0, random: (1, 2))
            // The will of an earlier connection of the same session, which the broker still keeps.
            let will = StatusMessage(
                state: .offline, session: session.description, at: 0, version: "0", clock: .synced)
            var settings = broker.settings()
            settings.clientID = "half-open"
            var halfOpen: ConnectionDriver? = try ConnectionDriver(
                to: settings, will: Will(topic: topics.topic(.status), payload: will.encoded))
            #expect(halfOpen?.connection.isConnected == true)
            let uplink = try UplinkDriver(to: broker.settings()) {
                $0.session = session
                $0.detectsDuplicates = true
            }
            _ = try witness.waitForStatus("online")
            halfOpen = nil
            _ = try witness.waitForStatus("offline")
            let isBack = witness.wait { received in
                received.last { $0.topic == topics.topic(.status) }?.payload
                    .contains(#""online""#) == true
            }
            #expect(isBack)
            try uplink.end()
        }
    }
}
