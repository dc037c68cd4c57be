import MQTT
import TestSupport
import Testing

extension BrokerTests {
    @Suite("publishing and subscribing")
    struct PublishingTests {
        @Test("a message is acknowledged and delivered", arguments: [ProtocolVersion.v5, .v311])
        func publish(version: ProtocolVersion) throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "shop/#", on: broker)
            let driver = try ConnectionDriver(to: broker.settings(), version: version)
            try driver.connection.publish(
                Publication(topic: "shop/till", payload: "{\"v\":1}".bytes), token: 7)
            #expect(driver.connection.unacknowledged == 1)
            #expect(try driver.answer(to: 7) == .success)
            #expect(driver.connection.unacknowledged == 0)
            #expect(witness.waitForMessage { $0.payload == "{\"v\":1}" }?.topic == "shop/till")
        }

        @Test("a message without subscribers is a success, and MQTT 5 has the reason")
        func nobodyListens() throws {
            let broker = try Broker()
            let driver = try ConnectionDriver(to: broker.settings())
            try driver.connection.publish(Publication(topic: "nobody", payload: []), token: 1)
            let code = try driver.answer(to: 1)
            #expect(code == .noMatchingSubscribers)
            #expect(!code.isFailure)
        }

        @Test("content type and expiry are sent in MQTT 5, and omitted in 3.1.1")
        func properties() throws {
            let broker = try Broker()
            let message = Publication(
                topic: "typed", payload: "x".bytes, contentType: "application/json",
                expirySeconds: 60)
            let witness = try Subscriber(
                to: "typed", on: broker, arguments: ["-F", "%t\t%r\t%C %E"])
            let newer = try ConnectionDriver(to: broker.settings())
            try newer.connection.publish(message, token: 1)
            #expect(try newer.answer(to: 1) == .success)
            #expect(witness.waitForMessage { $0.payload == "application/json 60" } != nil)
            var settings = broker.settings()
            settings.clientID = "older"
            let older = try ConnectionDriver(to: settings, version: .v311)
            try older.connection.publish(message, token: 2)
            #expect(try older.answer(to: 2) == .success)
            #expect(witness.waitForMessage { $0.payload == " " } != nil)
        }

        @Test("a retained message keeps its user properties; only the first ones are read")
        func userProperties() throws {
            let broker = try Broker()
            let driver = try ConnectionDriver(to: broker.settings())
            var message = Publication(topic: "noted", payload: "x".bytes, isRetained: true)
            message.userProperties = (1...12).map {
                UserProperty(name: "n\($0)", value: "value \($0) “ü”")
            }
            // A line break is no part of a property (MQTT 5.0 section 1.5.4): it is left out.
            message.userProperties.insert(UserProperty(name: "broken", value: "a\nb"), at: 0)
            try driver.connection.publish(message, token: 1)
            #expect(try !driver.answer(to: 1).isFailure)
            let witness = try Subscriber(to: "noted", on: broker, arguments: ["-F", "%t\t%r\t%P"])
            let expected = (1...12).map { "n\($0):value \($0) “ü”" }.joined(separator: " ")
            #expect(witness.waitForMessage { $0.payload == expected } != nil)
            try driver.connection.subscribe(to: ["noted"])
            let read = try driver.message(on: "noted").userProperties
            #expect(read == Array(message.userProperties[1...8]))
        }

        @Test(
            "wildcard subscriptions receive messages, and retained ones are marked",
            arguments: [ProtocolVersion.v5, .v311])
        func subscribe(version: ProtocolVersion) throws {
            let broker = try Broker()
            let driver = try ConnectionDriver(to: broker.settings(), version: version)
            try driver.connection.publish(
                Publication(topic: "a/b/status", payload: "kept".bytes, isRetained: true), token: 1)
            _ = try driver.answer(to: 1)
            try driver.connection.subscribe(to: ["a/+/status", "x/#"])
            for wanted in ["a/+/status", "x/#"] {
                let code: ReasonCode = try driver.wait(for: "subscribed") {
                    if case .subscribed(wanted, let code) = $0 { code } else { nil }
                }
                #expect(!code.isFailure)
            }
            let kept = try driver.message(on: "a/b/status")
            #expect(kept == Message(topic: "a/b/status", payload: "kept".bytes, isRetained: true))
            try driver.connection.publish(Publication(topic: "x/y/z", payload: [0, 255, 10]))
            #expect(try driver.message(on: "x/y/z").payload == [0, 255, 10])
            try driver.connection.publish(Publication(topic: "x/empty", payload: []))
            #expect(try driver.message(on: "x/empty").payload == [])
        }

        @Test("a payload over the client's bound is reported, not delivered")
        func oversizedIncoming() throws {
            let broker = try Broker()
            var settings = broker.settings()
            settings.maximumPayload = 100
            let driver = try ConnectionDriver(to: settings)
            try driver.connection.subscribe(to: ["big"])
            try driver.connection.publish(
                Publication(topic: "big", payload: [UInt8](repeating: 65, count: 101)))
            let bytes: Int = try driver.wait(for: "reported") {
                if case .oversized("big", let bytes) = $0 { bytes } else { nil }
            }
            #expect(bytes == 101)
        }

        @Test("an MQTT 5 broker discards messages far over the client's bound")
        func maximumPacketSize() throws {
            let broker = try Broker()
            for version in [ProtocolVersion.v5, .v311] {
                var settings = broker.settings()
                settings.maximumPayload = 100
                let driver = try ConnectionDriver(to: settings, version: version)
                try driver.connection.subscribe(to: ["big", "small"])
                let sender = try ConnectionDriver(
                    to: ConnectionSettings(host: "127.0.0.1", port: broker.port))
                for (topic, bytes) in [("big", 2 << 20), ("small", 1)] {
                    let payload = [UInt8](repeating: 65, count: bytes)
                    try sender.connection.publish(
                        Publication(topic: topic, payload: payload), token: 1)
                    #expect(try !sender.answer(to: 1).isFailure)
                }
                _ = try driver.message(on: "small")
                let isReported = driver.events.contains {
                    if case .oversized = $0 { true } else { false }
                }
                // MQTT 3.1.1 has no such limit.
                #expect(isReported == (version == .v311))
            }
        }

        @Test("a large message arrives complete")
        func largeMessage() throws {
            let broker = try Broker()
            let driver = try ConnectionDriver(to: broker.settings())
            try driver.connection.subscribe(to: ["large"])
            let payload = (0..<900_000).map { UInt8(truncatingIfNeeded: $0) }
            try driver.connection.publish(Publication(topic: "large", payload: payload), token: 3)
            #expect(try driver.answer(to: 3) == .success)
            #expect(try driver.message(on: "large").payload == payload)
        }

        @Test("a forbidden topic is refused with its reason in MQTT 5")
        func accessDenied() throws {
            var options = Broker.Options()
            options.access = ["topic write allowed/#"]
            let broker = try Broker(options)
            let driver = try ConnectionDriver(to: broker.settings())
            try driver.connection.publish(Publication(topic: "secret", payload: []), token: 1)
            #expect(try driver.answer(to: 1) == .notAuthorised)
            try driver.connection.publish(Publication(topic: "allowed/1", payload: []), token: 2)
            #expect(try !driver.answer(to: 2).isFailure)
            #expect(driver.connection.isConnected)
        }

        @Test("a message over the broker's limit is refused before it is sent")
        func tooLarge() throws {
            var options = Broker.Options()
            options.lines = ["max_packet_size 2000"]
            let broker = try Broker(options)
            let driver = try ConnectionDriver(to: broker.settings())
            let limits: BrokerAbilities = try driver.wait(for: "connected") {
                if case .connected(let limits) = $0 { limits } else { nil }
            }
            #expect(limits.maximumPacketSize == 2000)
            #expect(limits.receiveMaximum == 20)
            #expect(limits.version == .v5)
            #expect(throws: PublishFailure.refused(.packetTooLarge)) {
                try driver.connection.publish(
                    Publication(topic: "t", payload: [UInt8](repeating: 65, count: 3000)), token: 1)
            }
            try driver.connection.publish(Publication(topic: "t", payload: "ok".bytes), token: 2)
            #expect(try !driver.answer(to: 2).isFailure)
        }

        @Test("invalid topics are refused locally", arguments: ["", "a/#", "a/+/b", "a\0b"])
        func invalidTopic(topic: String) throws {
            let broker = try Broker()
            let driver = try ConnectionDriver(to: broker.settings())
            #expect(throws: PublishFailure.refused(.topicNameInvalid)) {
                try driver.connection.publish(Publication(topic: topic, payload: []), token: 1)
            }
            #expect(driver.connection.isConnected)
        }

        @Test("publishing before the connection or after the disconnection is refused")
        func notConnected() throws {
            let broker = try Broker()
            let connection = try Connection(to: broker.settings(), version: .v5)
            let message = Publication(topic: "t", payload: [])
            #expect(throws: PublishFailure.notConnected) { try connection.publish(message) }
            let driver = ConnectionDriver(connection)
            try driver.wait(for: "connected") { if case .connected = $0 { true } else { nil } }
            connection.disconnect()
            #expect(throws: PublishFailure.notConnected) { try connection.publish(message) }
            #expect(try driver.end().cause == .requested)
            #expect(connection.interest == nil)
            #expect(connection.service([]).isEmpty)
        }
    }
}
