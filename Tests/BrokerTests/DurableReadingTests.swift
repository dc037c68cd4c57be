import MQTT
import Posix
import TestSupport
import Testing

extension BrokerTests {
    /// libmosquitto's manual does not promise that acknowledgements wait for `mosquitto_loop_write`: these tests do.
    @Suite("reading with acknowledgement after the commit")
    struct DurableReadingTests {
        private static let count = 60

        /// A broker that sends more than 20 messages without acknowledgement to a client of 3.1.1 as well.
        private func broker(tls: Broker.TLS? = nil, in folder: TemporaryFolder? = nil) throws
            -> Broker
        {
            var options = Broker.Options()
            options.lines = ["max_inflight_messages 100"]
            options.tls = tls
            return try Broker(options, folder: folder)
        }

        /// Connects. With an earlier session, the broker still knows the subscription, and delivers immediately.
        private func connect(
            to broker: Broker, _ version: ProtocolVersion, receiveMaximum: UInt16 = 100,
            tls: TLSSettings? = nil
        ) throws -> ConnectionDriver {
            var settings = broker.settings(tls: tls)
            settings.clientID = "reader"
            settings.reading = DurableReading(
                expirySeconds: 600, receiveMaximum: receiveMaximum)
            return try ConnectionDriver(to: settings, version: version)
        }

        private func reader(
            on broker: Broker, _ version: ProtocolVersion, receiveMaximum: UInt16 = 100,
            tls: TLSSettings? = nil
        ) throws -> ConnectionDriver {
            let driver = try connect(
                to: broker, version, receiveMaximum: receiveMaximum, tls: tls)
            try driver.connection.subscribe(to: ["in/#"])
            try driver.wait(for: "subscribed") { if case .subscribed = $0 { true } else { nil } }
            return driver
        }

        /// Publishes numbered messages, and waits until the broker has them.
        private func publish(
            _ numbers: Range<Int>, on broker: Broker, tls: TLSSettings? = nil
        ) throws {
            let sender = try ConnectionDriver(to: broker.settings(tls: tls))
            for number in numbers {
                let message = Publication(topic: "in/\(number)", payload: "\(number)".bytes)
                try sender.connection.publish(message, token: UInt64(number))
                _ = try sender.answer(to: UInt64(number))
            }
        }

        private func topics(_ driver: ConnectionDriver) -> [String] {
            driver.events.compactMap {
                if case .message(let message) = $0 { message.topic } else { nil }
            }
        }

        private func wait(for count: Int, _ driver: ConnectionDriver) throws {
            try driver.wait(for: "message \(count)") { _ in
                topics(driver).count >= count ? true : nil
            }
        }

        @Test(
            "messages that were not acknowledged are delivered again",
            arguments: [ProtocolVersion.v5, .v311], [false, true])
        func unacknowledged(version: ProtocolVersion, publishesBetween: Bool) throws {
            let broker = try broker()
            var driver: ConnectionDriver? = try reader(on: broker, version)
            try publish(0..<Self.count, on: broker)
            try wait(for: Self.count, #require(driver))
            if publishesBetween {
                for token in 0..<5 {
                    let result = Publication(
                        topic: "out", payload: "\(token)".bytes, isRetained: true)
                    try driver?.connection.publish(result, token: UInt64(token))
                    // What a loop does in the meantime.
                    _ = driver?.connection.service([])
                    _ = driver?.connection.service(.output)
                }
            }
            #expect(driver?.connection.unstored == Self.count)
            // As when the process is killed before the commit: the socket closes without another byte.
            driver = nil
            let next = try connect(to: broker, version)
            try wait(for: Self.count, next)
            #expect(Set(topics(next)) == Set((0..<Self.count).map { "in/\($0)" }))
        }

        @Test(
            "acknowledged messages are not delivered again",
            arguments: [ProtocolVersion.v5, .v311])
        func acknowledged(version: ProtocolVersion) throws {
            let broker = try broker()
            let witness = try Subscriber(to: "out", on: broker)
            var driver: ConnectionDriver? = try reader(on: broker, version)
            try publish(0..<Self.count, on: broker)
            try wait(for: Self.count, #require(driver))
            try driver?.connection.publish(
                Publication(topic: "out", payload: "result".bytes, isRetained: true), token: 1)
            driver?.connection.acknowledge()
            #expect(driver?.connection.unstored == 0)
            // The result follows the acknowledgements on the same connection: the broker has read both.
            #expect(witness.waitForMessage { $0.topic == "out" } != nil)
            driver = nil
            let next = try connect(to: broker, version)
            try publish(1000..<1001, on: broker)
            try wait(for: 1, next)
            #expect(topics(next) == ["in/1000"])
        }

        @Test("the same holds with TLS")
        func tls() throws {
            let folder = try TemporaryFolder()
            let authority = try Certificates(in: folder)
            let server = try authority.server(["DNS:localhost", "IP:127.0.0.1"])
            let broker = try broker(tls: Broker.TLS(server: server), in: folder)
            let tls = TLSSettings(caFile: authority.caFile)
            var driver: ConnectionDriver? = try reader(on: broker, .v5, tls: tls)
            try publish(0..<10, on: broker, tls: tls)
            try wait(for: 10, #require(driver))
            driver = nil
            let next = try connect(to: broker, .v5, tls: tls)
            try wait(for: 10, next)
            next.connection.acknowledge()
            next.connection.disconnect()
            #expect(try next.end().cause == .requested)
            let last = try connect(to: broker, .v5, tls: tls)
            try publish(10..<11, on: broker, tls: tls)
            try wait(for: 1, last)
            #expect(topics(last) == ["in/10"])
        }

        @Test("a broker sends no more unacknowledged messages than the receive maximum")
        func receiveMaximum() throws {
            let broker = try broker()
            let driver = try reader(on: broker, .v5, receiveMaximum: 7)
            try publish(0..<20, on: broker)
            for count in [7, 14, 20] {
                try wait(for: count, driver)
                #expect(driver.connection.unstored <= 7)
                driver.connection.acknowledge()
            }
            #expect(topics(driver).count == 20)
        }

        @Test("after a batch of messages, none is read before their acknowledgement")
        func batch() throws {
            let broker = try broker()
            var settings = broker.settings()
            settings.clientID = "reader"
            settings.reading = DurableReading(
                expirySeconds: 600, receiveMaximum: 100, batch: 7)
            let driver = try ConnectionDriver(to: settings)
            let connection = driver.connection
            try connection.subscribe(to: ["in/#"])
            try driver.wait(for: "subscribed") { if case .subscribed = $0 { true } else { nil } }
            try publish(0..<7, on: broker)
            try wait(for: 7, driver)
            #expect(connection.awaitsAcknowledgement)
            try publish(7..<10, on: broker)
            #expect(connection.interest?.events.contains(.input) == false)
            connection.acknowledge()
            #expect(!connection.awaitsAcknowledgement)
            try wait(for: 10, driver)
        }

        @Test("behind an acknowledgement of some messages, none is read before that of all")
        func some() throws {
            let broker = try broker()
            let driver = try reader(on: broker, .v5)
            let connection = driver.connection
            try publish(0..<20, on: broker)
            try wait(for: 20, driver)
            connection.acknowledge(first: 12)
            #expect(connection.unstored == 20)
            #expect(connection.awaitsAcknowledgement)
            try publish(20..<30, on: broker)
            // The publisher has its answers: the messages are on their way.
            for _ in 0..<5 { _ = connection.service([]) }
            #expect(topics(driver).count == 20)
            #expect(connection.interest?.events.contains(.input) == false)
            connection.acknowledge(first: 20)
            #expect(!connection.awaitsAcknowledgement)
            try wait(for: 30, driver)
        }

        @Test("DISCONNECT does not acknowledge messages")
        func disconnect() throws {
            let broker = try broker()
            let driver = try reader(on: broker, .v5)
            try publish(0..<10, on: broker)
            try wait(for: 10, driver)
            driver.connection.disconnect()
            #expect(try driver.end().cause == .requested)
            let next = try connect(to: broker, .v5)
            try wait(for: 10, next)
        }
    }
}
