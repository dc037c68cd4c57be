import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("two agents on one folder")
    struct LockTests {
        private func refusal(of agent: Gateway, by other: Gateway, _ folder: String) {
            #expect(agent.process.waitForExit() == 1)
            #expect(
                agent.process.lines == [
                    "sightlined: \(folder) is in use by process \(other.process.processID): "
                        + "two agents can't share it"
                ])
        }

        @Test("the second agent names the first and ends; a kill releases the lock")
        func stateDirectory() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            let first = try Gateway(port: broker.port)
            try first.waitForLog("MQTT connected")
            let second = try Gateway(port: broker.port, folder: first.folder)
            refusal(of: second, by: first, first.folder.file("state"))
            first.process.send(SIGKILL)
            _ = first.process.waitForExit()
            let third = try Gateway(port: broker.port, folder: first.folder)
            try third.waitForLog("MQTT connected")
            try witness.waitForBatch { $0.seq == 1 }
            try third.end()
        }

        @Test("an outbox in another folder is locked too")
        func outbox() throws {
            let broker = try Broker()
            let shared = try TemporaryFolder()
            var options = Gateway.Options()
            options.outbox["path"] = shared.file("outbox.sqlite")
            let first = try Gateway(port: broker.port, options)
            try first.waitForLog("MQTT connected")
            refusal(of: try Gateway(port: broker.port, options), by: first, shared.path)
            // Both paths in one folder need one lock.
            options.sections["stateDirectory"] = first.folder.file("other")
            options.outbox["path"] = first.folder.file("other/outbox.sqlite")
            let third = try Gateway(port: broker.port, options)
            try third.waitForLog("MQTT connected")
            try third.end()
            try first.end()
        }

        @Test("--output - takes no lock")
        func standardOutput() throws {
            let broker = try Broker()
            let first = try Gateway(port: broker.port)
            try first.waitForLog("MQTT connected")
            let radio = try RadioProgram()
            let process = try Gateway.run([
                "--config", first.folder.file("sightlined.json"), "--radio", radio.source,
                "--output", "-",
            ])
            #expect(process.waitForLine { $0.hasPrefix("{") } != nil)
            process.send(SIGTERM)
            #expect(process.waitForExit() == 0)
            try first.end()
        }
    }
}
