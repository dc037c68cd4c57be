import MQTT
import Posix
import TestSupport
import Testing

extension BrokerTests {
    // The library's manual does not promise it: with mosquitto_threaded_set, PUBACK waits for mosquitto_loop_write.
    @Suite("acknowledgement after the commit")
    struct AcknowledgementTests {
        private static let count = 60

        private func reader(_ broker: Broker, _ version: ProtocolVersion) throws -> ConnectionDriver
        {
            var settings = broker.settings()
            settings.clientID = "reader"
            settings.reading = DurableReading(expirySeconds: 3600, receiveMaximum: 100)
            let driver = try ConnectionDriver(to: settings, version: version)
            try driver.connection.subscribe(to: ["facts"])
            try driver.wait(for: "subscribed") {
                if case .subscribed = $0 { true } else { nil }
            }
            return driver
        }

        private func broker() throws -> Broker {
            var options = Broker.Options()
            options.lines = ["max_inflight_messages 100"]
            return try Broker(options)
        }

        private func publish(on broker: Broker) throws {
            let writer = try ConnectionDriver(to: broker.settings())
            for index in 0..<Self.count {
                let message = Publication(topic: "facts", payload: "\(index)".bytes)
                try writer.connection.publish(message, token: UInt64(index))
                _ = try writer.answer(to: UInt64(index))
            }
        }

        private func receive(_ driver: ConnectionDriver) throws -> Set<[UInt8]> {
            for index in 0..<Self.count {
                try driver.wait(for: "message \(index)") {
                    if case .message(let message) = $0, message.payload == "\(index)".bytes {
                        true
                    } else {
                        nil
                    }
                }
            }
            return Set(
                driver.events.compactMap {
                    if case .message(let it) = $0 { it.payload } else { nil }
                })
        }

        @Test(
            "messages that were read and not stored come again",
            arguments: [ProtocolVersion.v5, .v311])
        func again(version: ProtocolVersion) throws {
            let broker = try broker()
            var driver: ConnectionDriver? = try reader(broker, version)
            try publish(on: broker)
            if let driver {
                #expect(try receive(driver).count == Self.count)
                #expect(driver.connection.unstored == Self.count)
            }
            // As a kill: the socket closes, and nothing was acknowledged.
            driver = nil
            let second = try reader(broker, version)
            #expect(try receive(second).count == Self.count)
        }

        @Test(
            "acknowledged messages do not come again",
            arguments: [ProtocolVersion.v5, .v311])
        func once(version: ProtocolVersion) throws {
            let broker = try broker()
            var driver: ConnectionDriver? = try reader(broker, version)
            try publish(on: broker)
            if let driver {
                _ = try receive(driver)
                driver.connection.acknowledge()
                driver.connection.disconnect()
                _ = try driver.end()
            }
            driver = nil
            let second = try reader(broker, version)
            let writer = try ConnectionDriver(to: broker.settings())
            try writer.connection.publish(
                Publication(topic: "facts", payload: "last".bytes), token: 1)
            _ = try second.message(on: "facts")
            let received = second.events.compactMap {
                if case .message(let message) = $0 { message.payload } else { nil }
            }
            #expect(received == ["last".bytes])
        }
    }
}
