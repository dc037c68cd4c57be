import Glibc
import MQTT
import TestSupport
import Testing

extension BrokerTests {
    @Suite("the will")
    struct WillTests {
        private let will = Will(topic: "gate/status", payload: "{\"state\":\"offline\"}".bytes)

        @Test(
            "it is published and retained when the connection is cut",
            arguments: [ProtocolVersion.v5, .v311])
        func cut(version: ProtocolVersion) throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "gate/#", on: broker)
            let driver = try ConnectionDriver(to: broker.settings(), version: version, will: will)
            let descriptor = try #require(driver.connection.interest?.descriptor)
            shutdown(descriptor, CInt(SHUT_RDWR))
            #expect(witness.waitForMessage { $0.payload.contains("offline") } != nil)
            if case .lost = try driver.end().cause {} else { Issue.record("\(driver.events)") }
            let late = try Subscriber(to: "gate/#", on: broker)
            #expect(late.waitForMessage { $0.payload.contains("offline") }?.isRetained == true)
        }

        @Test("it is published when the connection is released without DISCONNECT")
        func abandoned() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "gate/#", on: broker)
            var driver: ConnectionDriver? = try ConnectionDriver(to: broker.settings(), will: will)
            #expect(driver?.connection.isConnected == true)
            driver = nil
            #expect(witness.waitForMessage { $0.payload.contains("offline") } != nil)
        }

        @Test("it is not published after DISCONNECT")
        func farewell() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "#", on: broker)
            let driver = try ConnectionDriver(to: broker.settings(), will: will)
            driver.connection.disconnect()
            #expect(try driver.end().cause == .requested)
            // A later message shows that no will came before it.
            let other = try ConnectionDriver(to: broker.settings())
            try other.connection.publish(Publication(topic: "after", payload: []), token: 1)
            #expect(witness.waitForMessage { $0.topic == "after" } != nil)
            #expect(witness.received.count == 1)
        }
    }
}
