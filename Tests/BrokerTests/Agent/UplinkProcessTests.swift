import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("the uplink's process")
    struct UplinkProcessTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private var options: Gateway.Options {
            var options = Gateway.Options()
            options.windowMs = 100
            options.outbox["backlogPerSecond"] = 1000
            return options
        }

        /// The number of the agent's child, after `former` has ended (proc_pid_children(5)).
        private func uplink(of agent: Gateway, after former: Int? = nil) throws -> Int {
            let id = agent.process.processID
            var found: Int?
            let isFound = try Deadline.wait {
                let text = try String(
                    contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
                found = text.split(separator: " ").first.flatMap { Int($0) }
                return try found.map { try $0 != former && isUplink($0) } ?? false
            }
            guard isFound, let found else {
                throw TestFailure("no uplink: \(agent.process.lines)")
            }
            return found
        }

        private func isUplink(_ process: Int) throws -> Bool {
            let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
            return String(decoding: words, as: UTF8.self).contains("--uplink")
        }

        /// The fields of /proc/PID/status.
        private func status(of process: Int) throws -> [String: String] {
            let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            let lines = text.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1) }
            return Dictionary(
                lines.compactMap { line in
                    guard line.count == 2 else { return nil }
                    return (String(line[0]), line[1].trimmingCharacters(in: .whitespaces))
                }, uniquingKeysWith: { first, _ in first })
        }

        private func sockets(of process: Int) throws -> Set<String> {
            let folder = "/proc/\(process)/fd"
            let links = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)
            }
            return Set(links.filter { $0.hasPrefix("socket:") })
        }

        /// Waits for all batches until now, ends the agent, and checks them.
        private func checkContinuity(_ agent: Gateway, _ witness: Subscriber) throws {
            try witness.waitForBatch { _ in true }
            let last = try #require(try witness.batches().last?.seq) + 5
            try witness.waitForNumbers(upTo: last)
            try agent.end()
            let batches = try witness.batches().filter { $0.seq <= last }
            #expect(batches.count == last + 1)
            #expect(Set(batches.map(\.session)).count == 1)
            #expect(batches.map(\.seq) == Array(0..<batches.count), "each number")
            #expect(batches.allSatisfy { $0.lost == nil })
            // The radio has heard all the time.
            for (earlier, later) in zip(batches, batches.dropFirst()) {
                #expect(later.start == earlier.end)
                #expect(!later.isDeaf)
            }
        }

        @Test("it has no capabilities, and no socket of the radio's process")
        func rights() throws {
            let broker = try Broker()
            let agent = try Gateway(port: broker.port, options, folder: folder)
            try agent.waitForLog("MQTT connected")
            let process = try uplink(of: agent)
            let status = try status(of: process)
            for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
                #expect(UInt64(status[set] ?? "", radix: 16) == 0, "\(set)")
            }
            #expect(status["NoNewPrivs"] == "1")
            let shared = try sockets(of: process).intersection(
                sockets(of: Int(agent.process.processID)))
            #expect(shared == [])
            try agent.end()
        }

        @Test(
            "a broker that ends it with an unknown property does not end the agent",
            arguments: [
                // CONNACK and PUBLISH with a property 0x7f, which MQTT 5 does not have (2.2.2.2).
                [0x20, 0x04, 0x00, 0x00, 0x01, 0x7f],
                [0x20, 0x03, 0, 0, 0, 0x30, 0x05, 0x00, 0x01, 0x61, 0x01, 0x7f],
            ] as [[UInt8]])
        func hostile(answer: [UInt8]) throws {
            let hostile = try FakeBroker { _ in .answer(answer) }
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let agent = try Gateway(port: hostile.port, options, folder: folder)
            try agent.waitForLog("uplink process ended")
            #expect(Deadline.wait { hostile.levels.count >= 3 })
            _ = try Gateway.configuration(broker.port, options, in: folder)
            agent.process.send(SIGHUP)
            try agent.waitForLog("MQTT connected")
            try witness.waitForBatch { _ in true }
            try checkContinuity(agent, witness)
            #expect(agent.complaints.count == 1, "each cause once: \(agent.complaints)")
        }

        @Test("after a kill, a new one sends everything, in the same session")
        func killed() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let agent = try Gateway(port: broker.port, options, folder: folder)
            try witness.waitForBatch { $0.seq == 3 }
            var process = try uplink(of: agent)
            for _ in 0..<2 {
                let last = try witness.batches().last?.seq ?? 0
                kill(pid_t(process), SIGKILL)
                process = try uplink(of: agent, after: process)
                try witness.waitForNumbers(upTo: last + 10)
            }
            try checkContinuity(agent, witness)
            // A will of a killed one says "offline" too: the agent's own word is the last message.
            #expect(Deadline.wait { witness.received.last?.topic.hasSuffix("/status") == true })
        }

        @Test("a new one uses the configuration in force, not a file that was not reloaded")
        func configuration() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let agent = try Gateway(port: broker.port, options, folder: folder)
            try agent.waitForLog("MQTT connected")
            var other = options
            other.sections["log"] = ["format": "json"]
            _ = try Gateway.configuration(broker.port, other, in: folder)
            agent.process.send(SIGHUP)
            try agent.waitForLog("configuration reloaded")
            try folder.write("{", to: "sightlined.json")
            let process = try uplink(of: agent)
            kill(pid_t(process), SIGKILL)
            _ = try uplink(of: agent, after: process)
            // Both processes write objects now.
            try agent.waitForLog(#""message":"uplink process ended"#)
            try agent.waitForLog(#""message":"MQTT connected""#)
            try checkContinuity(agent, witness)
        }

        @Test("a stop while none runs starts one that stores the batches")
        func stopped() throws {
            let hostile = try FakeBroker { _ in .answer([0x20, 0x04, 0x00, 0x00, 0x01, 0x7f]) }
            let agent = try Gateway(port: hostile.port, options, folder: folder)
            // Then the pause begins.
            try agent.waitForLog("uplink process ended")
            agent.process.send(SIGTERM)
            #expect(agent.process.waitForExit() == 0, "\(agent.process.lines.suffix(3))")
        }

        @Test("a stop while it hangs starts one that stores the batches")
        func hangs() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let agent = try Gateway(port: broker.port, options, folder: folder)
            try witness.waitForBatch { $0.seq == 3 }
            let process = try uplink(of: agent)
            kill(pid_t(process), SIGSTOP)
            // Some windows more.
            #expect(agent.staysAlive(for: 0.5))
            let arrived = try #require(try witness.batches().map(\.seq).max())
            try agent.end()
            #expect(agent.process.lines.contains { $0.contains("no answer for") })
            #expect(agent.process.lines.contains { $0.contains("stored for the next start") })
            let session = try #require(try witness.batches().first?.session)
            let next = try Gateway(port: broker.port, options, folder: folder)
            // At least the window that ended with the agent.
            try witness.waitForBatch { $0.session == session && $0.seq > arrived }
            try witness.waitForBatch { $0.session != session && $0.seq == 3 }
            try next.end()
            let batches = try witness.batches(of: session)
            #expect(Set(batches.map(\.seq)) == Set(0..<(1 + (batches.map(\.seq).max() ?? 0))))
            #expect(batches.allSatisfy { $0.lost == nil })
        }

        @Test("it ends with the radio's process")
        func orphan() throws {
            let broker = try Broker()
            let agent = try Gateway(port: broker.port, options, folder: folder)
            try agent.waitForLog("MQTT connected")
            let process = try uplink(of: agent)
            agent.process.send(SIGKILL)
            _ = agent.process.waitForExit()
            #expect(Deadline.wait { kill(pid_t(process), 0) != 0 })
        }
    }
}
