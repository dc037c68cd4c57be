import Foundation
import TestSupport
import TestVectors
import Testing

extension BrokerTests.AgentTests {
    @Suite("command line")
    struct CommandLineTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// Runs the program to its end.
        private func run(_ arguments: [String]) throws -> (status: Int32?, lines: [String]) {
            let process = try Gateway.run(arguments)
            let status = process.waitForExit()
            return (status, process.lines)
        }

        /// A capture of one beacon with ten reports a second.
        private func capture(_ reports: Int, name: String = "capture.btsnoop") throws -> String {
            var bytes = Captures.header(link: 1002)
            for report in 0..<reports {
                let event = Advertisements.legacyEvent(
                    Advertisements.legacyReport(Advertisements.iBeacon(7)))
                bytes += Captures.record(
                    [0x04] + event, at: 1_780_000_000_000_000 + Int64(report) * 100_000)
            }
            try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
            return folder.file(name)
        }

        private func check(_ text: String) throws -> (status: Int32?, lines: [String]) {
            try run(["--check", "--config", folder.write(text, to: "checked.json")])
        }

        @Test("--check prints nothing for a valid file")
        func good() throws {
            let result = try check(
                """
                // A comment.
                {"gateway": {"site": "s", "id": "g"}, "mqtt": {"host": "broker.example"}}
                """)
            #expect(result.status == 0)
            #expect(result.lines == [])
        }

        @Test("--check ignores missing password and certificate files")
        func namedFiles() throws {
            let result = try check(
                """
                {"gateway": {"site": "s", "id": "g"},
                 "mqtt": {"host": "h", "username": "u", "passwordFile": "/nowhere/password",
                          "tls": {"caFile": "/nowhere/ca.pem"}}}
                """)
            #expect(result.status == 0)
            #expect(result.lines == [])
        }

        @Test("--check prints all faults of a file, each with its JSON path")
        func bad() throws {
            let result = try check(
                """
                {"gateway": {"site": "a/b", "id": "g"}, "mqtt": {"host": "h", "port": 70000},
                 "report": {"windowMs": "1"}, "colour": "red"}
                """)
            #expect(result.status == 2)
            for pointer in ["/gateway/site", "/mqtt/port", "/report/windowMs", "/colour"] {
                #expect(
                    result.lines.filter { $0.contains(": \(pointer): ") }.count == 1,
                    "\(pointer) in \(result.lines)")
            }
            #expect(result.lines.count == 4)
        }

        @Test(
            "a usage error is one sentence with exit code 2",
            arguments: [
                (["--colour"], "--colour"), (["--radio", "nonsense", "--output", "-"], "nonsense"),
                (["--output", "x"], "not x"), (["--config", "/nowhere/x.json"], "/nowhere/x.json"),
                ([], "--config"),
                (["--radio", "sim:s", "--output", "-"], "virtual-radio --scenario s "),
            ])
        func wrongUse(arguments: [String], words: String) throws {
            let result = try run(arguments)
            #expect(result.status == 2)
            #expect((1...2).contains(result.lines.count), "\(result.lines)")
            #expect(result.lines.first?.contains(words) == true, "\(result.lines)")
            #expect(result.lines.allSatisfy { $0.hasPrefix("sightlined: ") })
        }

        @Test(
            "a scenario as the source is a configuration error, and no message is published")
        func scenario() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "#", on: broker)
            var options = Gateway.Options()
            options.sections["radio"] = ["source": "sim:s"]
            let configuration = try Gateway.configuration(broker.port, options, in: folder)
            let result = try run(["--config", configuration])
            #expect(result.status == 2)
            #expect(result.lines.count == 1)
            #expect(result.lines.first?.contains("virtual-radio --scenario s ") == true)
            #expect(witness.received.isEmpty)
            #expect(broker.log.filter { $0.contains("New connection") }.count == 1)
        }

        @Test("an empty password file is a configuration error")
        func emptyPassword() throws {
            var options = Gateway.Options()
            options.mqtt["username"] = "u"
            options.mqtt["passwordFile"] = try Gateway.passwordFile("", in: folder)
            let configuration = try Gateway.configuration(1883, options, in: folder)
            let result = try run(["--config", configuration, "--radio", "h4:unix:/nowhere/s"])
            #expect(result.status == 2)
            #expect(result.lines.count == 1)
            #expect(result.lines.first?.contains("password") == true)
        }

        @Test("a truncated capture gives its readable batches and one error")
        func truncated() throws {
            let path = try capture(35)
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            try whole.dropLast(10).write(to: URL(fileURLWithPath: path))
            let result = try run(["--radio", "replay:" + path, "--output", "-"])
            #expect(result.status == 1)
            let batches = try result.lines.filter { $0.hasPrefix("{") }.map(SeenBatch.init)
            #expect(batches.map(\.seq) == [0, 1, 2, 3])
            #expect(batches.map(\.count) == [10, 10, 10, 4])
            let words = result.lines.filter { !$0.hasPrefix("{") }
            #expect(words.count == 1)
            #expect(words.first?.hasPrefix("sightlined: \(path): ") == true)
        }

        @Test(
            "only advertising reports set the clock of a capture"
        )
        func clockOfReports() throws {
            let path = try capture(10)
            let reports = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)).dropFirst(16))
            // Command Complete of LE Set Scan Enable, an hour after the reports that follow it.
            let answer: [UInt8] = [0x04, 0x0e, 0x04, 0x01, 0x0c, 0x20, 0x00]
            let bytes =
                Captures.header(link: 1002)
                + Captures.record(answer, at: 1_780_003_600_000_000) + reports
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let result = try run(["--radio", "replay:" + path, "--output", "-"])
            #expect(result.status == 0)
            let batches = try result.lines.map(SeenBatch.init)
            #expect(batches.map(\.start) == [1_780_000_000_000])
            #expect(batches.map(\.count) == [10])
        }

        @Test("a missing capture is one error")
        func missingCapture() throws {
            let result = try run(["--radio", "replay:/nowhere/c", "--output", "-"])
            #expect(result.status == 1)
            #expect(result.lines.count == 1)
        }

        @Test("a long capture is published completely, even to a late broker")
        func published() throws {
            var settings = Broker.Options()
            settings.lines = ["max_queued_messages 0"]
            let broker = try Broker(settings)
            broker.kill()
            var options = Gateway.Options()
            // More windows than the mailbox and the outbox can hold.
            options.windowMs = 100
            options.outbox["maxBytes"] = 65_536
            options.radio = "replay:" + (try capture(6000))
            let agent = try Gateway(port: broker.port, options)
            try agent.waitForLog("can't reach broker")
            #expect(agent.staysAlive(for: 0.3))
            // The agent pauses until the witness has subscribed.
            agent.process.send(SIGSTOP)
            try broker.restart()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            agent.process.send(SIGCONT)
            #expect(agent.process.waitForExit() == 0)
            try witness.waitForBatch { $0.seq == 5999 }
            let batches = try witness.batches()
            #expect(batches.map(\.seq) == Array(0..<6000))
            #expect(batches.allSatisfy { $0.object["lost"] == nil && $0.count == 1 })
            #expect(batches.first?.start == 1_780_000_000_000)
        }

        @Test("a capture with a gateway's configuration leaves the live agent connected")
        func besideAgent() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let agent = try Gateway(port: broker.port)
            try witness.waitForBatch { $0.seq == 0 }
            var options = Gateway.Options()
            options.radio = "replay:" + (try capture(50))
            let replay = try Gateway(port: broker.port, options)
            #expect(replay.process.waitForExit() == 0)
            let live = try #require(witness.received.compactMap(\.batch).first?.session)
            try witness.waitForBatch { $0.session != live }
            try agent.end()
            _ = try witness.waitForStatus("offline")
            #expect(agent.complaints == [])
            let states = witness.received.filter { $0.topic.hasSuffix("/status") }
            #expect(states.allSatisfy { $0.payload.contains(live) })
            let connections = broker.log.filter { $0.contains("New client connected") }
            #expect(connections.count { !$0.contains("witness") } == 2)
        }

        @Test("a capture with a gateway's credentials is refused beside its agent")
        func sameCredentials() throws {
            let broker = try Broker()
            let agent = try Gateway(port: broker.port)
            try agent.waitForLog("MQTT connected")
            var options = Gateway.Options()
            options.mqtt["username"] = "store-042/entry-1"
            options.radio = "replay:" + (try capture(50))
            let replay = try Gateway(port: broker.port, options, folder: agent.folder)
            #expect(replay.process.waitForExit() == 1)
            #expect(replay.process.lines.count == 1)
            let folder = agent.folder.file("state")
            let holder = "\(folder) is in use by process \(agent.process.processID)"
            #expect(replay.process.lines.first?.contains(holder) == true)
            try agent.end()
            // Without an agent, it is published.
            let later = try Gateway(port: broker.port, options, folder: agent.folder)
            #expect(later.process.waitForExit() == 0)
        }

        @Test("a signal ends a capture that waits for its broker")
        func givenUp() throws {
            var options = Gateway.Options()
            options.windowMs = 100
            options.radio = "replay:" + (try capture(6000))
            let agent = try Gateway(port: try Ports.free(), options)
            try agent.waitForLog("can't reach broker")
            // By now the agent waits for room in the outbox. An earlier signal would only end the
            // replay.
            #expect(agent.staysAlive(for: 1.5))
            let hasEnded = Deadline.wait {
                agent.process.send(SIGTERM)
                return agent.process.waitForExit(within: 1) != nil
            }
            #expect(hasEnded)
            #expect(agent.process.waitForExit() == 1)
            #expect(
                agent.process.lines.last == "sightlined: ended by a signal before all was delivered"
            )
        }
    }
}
