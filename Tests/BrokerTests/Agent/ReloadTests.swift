import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("reload on SIGHUP")
    struct ReloadTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private var options: Gateway.Options {
            var options = Gateway.Options()
            options.windowMs = 100
            return options
        }

        private func start(_ port: UInt16, _ options: Gateway.Options) throws -> Gateway {
            try Gateway(port: port, options, folder: folder)
        }

        private func rememberingBroker() throws -> Broker {
            var options = Broker.Options()
            options.remembers = true
            return try Broker(options)
        }

        @Test("a new broker gets the next batches, and the old one gets offline")
        func otherBroker() throws {
            let first = try rememberingBroker()
            let second = try rememberingBroker()
            let atFirst = try Subscriber(to: "sightline/#", on: first, isRemembered: true)
            let atSecond = try Subscriber(to: "sightline/#", on: second, isRemembered: true)
            let agent = try start(first.port, options)
            try atFirst.waitForBatch { $0.seq == 10 }
            try agent.reload(second.port, options)
            let next = try atSecond.waitForBatch { _ in true }
            _ = try atFirst.waitForStatus("offline")
            try atSecond.waitForBatch { $0.seq >= next.seq + 10 }
            // The brokers change back and forth while batches are in flight.
            for round in 0..<6 {
                try agent.reload(round % 2 == 0 ? first.port : second.port, options)
                #expect(agent.staysAlive(for: Double(round) * 0.07))
            }
            let last = try atSecond.waitForBatch { $0.seq > next.seq + 30 }.seq
            try agent.end()
            let sessions = Set((try atFirst.batches() + atSecond.batches()).map(\.session))
            #expect(sessions.count == 1)
            let numbers = Set((try atFirst.batches() + atSecond.batches()).map(\.seq))
            #expect(Set(0...last).subtracting(numbers) == [])
            #expect(agent.complaints.isEmpty, "\(agent.complaints)")
        }

        @Test("a changed password file is used, and the unsent batches arrive")
        func newPassword() throws {
            var brokerOptions = Broker.Options()
            brokerOptions.remembers = true
            brokerOptions.users = ["entry-1": "old", "witness": "w"]
            let broker = try Broker(brokerOptions)
            let witness = try Subscriber(
                to: "sightline/#", on: broker, arguments: ["-u", "witness", "-P", "w"],
                isRemembered: true)
            var options = options
            options.mqtt = [
                "username": "entry-1",
                "passwordFile": try Gateway.passwordFile("old\n", in: folder),
            ]
            let agent = try start(broker.port, options)
            try witness.waitForBatch { $0.seq == 5 }
            broker.stop()
            try Tool.run(
                "mosquitto_passwd", ["-b", broker.folder.file("passwords"), "entry-1", "new"])
            try broker.restart()
            try agent.waitForLog("not authorised")
            _ = try Gateway.passwordFile("new\n", in: folder)
            try agent.reload(broker.port, options, until: "a password or certificate")
            // Immediately, without the usual wait.
            try witness.waitForBatch(within: 5) { $0.seq > 5 }
            try witness.waitForNumbers(upTo: 30)
            try agent.end()
        }

        @Test(
            "a changed connection to the same broker publishes offline and online, and no batch twice"
        )
        func sameBroker() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let agent = try start(broker.port, options)
            try witness.waitForBatch { $0.seq == 5 }
            var other = options
            other.mqtt["keepAliveSeconds"] = 60
            try agent.reload(broker.port, other)
            try witness.waitForBatch { $0.seq == 20 }
            try agent.end()
            func states(_ received: [Subscriber.Received]) -> [String] {
                received.compactMap { $0.object(of: "status")?["state"] as? String }
            }
            // The last message reaches the witness after the agent's end.
            _ = witness.wait { states($0).count >= 4 }
            #expect(states(witness.received) == ["online", "offline", "online", "offline"])
            let batches = witness.received.compactMap(\.batch)
            #expect(batches.map(\.seq) == Array(0..<batches.count), "each once, in order")
            #expect(agent.complaints.isEmpty, "\(agent.complaints)")
        }

        @Test("a silent broker does not delay the change to the next one")
        func silentBroker() throws {
            let first = try Broker()
            let second = try rememberingBroker()
            let witness = try Subscriber(to: "sightline/#", on: second, isRemembered: true)
            let agent = try start(first.port, options)
            try agent.waitForLog("connected")
            first.suspend()
            defer { first.resume() }
            // Some batches wait for the silent broker.
            #expect(agent.staysAlive(for: 0.3))
            try agent.reload(second.port, options)
            try witness.waitForBatch(within: 6) { _ in true }
            try agent.end()
        }

        @Test("metrics move to the new file")
        func metrics() throws {
            let broker = try Broker()
            let agent = try start(broker.port, options)
            try agent.waitForLog("connected")
            let files = [folder.file("one.prom"), folder.file("two.prom")]
            for (file, other) in [(files[0], files[1]), (files[1], files[0])] {
                var written = options
                written.sections["metrics"] = ["textfile": file]
                try agent.reload(broker.port, written)
                #expect(Deadline.wait { FileManager.default.fileExists(atPath: file) })
                #expect(!FileManager.default.fileExists(atPath: other))
            }
            try agent.end()
        }

        @Test("a file with faults changes nothing, and each fault is logged with its JSON path")
        func faulty() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let agent = try start(broker.port, options)
            try witness.waitForBatch { $0.seq == 5 }
            var wrong = options
            wrong.windowMs = 150
            wrong.sections["log"] = ["level": "loud"]
            try agent.reload(try Ports.free(), wrong, until: "/log/level")
            let last = try witness.batches().last?.seq ?? 0
            try witness.waitForBatch { $0.seq > last + 5 }
            try agent.end()
            #expect(agent.complaints.count == 2, "\(agent.complaints)")
            #expect(agent.complaints.contains { $0.contains("/report/windowMs") })
            let batches = try witness.batches()
            #expect(batches.map(\.seq) == Array(0..<batches.count))
            #expect(batches.allSatisfy { $0.end - $0.start <= 100 })
            let statuses = witness.received.filter { $0.topic.hasSuffix("/status") }
            #expect(statuses.count == 2, "online, offline")
        }

        @Test("advertising and windows follow the file, under the layers")
        func retuned() throws {
            let scene = try TunedScene()
            let advertise: [String: Any] = ["uuid": Gateway.uuid, "major": 1, "minor": 2]
            let agent = try scene.start(["advertise": advertise])
            try scene.witness.waitForReport { $0.identity?.minor == 2 && $0.isAdvertising }
            try scene.publisher.publish(#"{"version":1,"advertise":{"major":42}}"#, of: .site)
            try scene.witness.waitForReport { $0.identity?.major == 42 && $0.isAdvertising }
            var options = Gateway.Options()
            options.windowMs = 200
            options.sections["advertise"] = advertise.merging(["minor": 7]) { $1 }
            _ = try Gateway.configuration(scene.broker.port, options, in: scene.folder)
            agent.process.send(SIGHUP)
            try scene.witness.waitForReport { $0.identity == ShownIdentity() && $0.isAdvertising }
            try scene.radio.waitForAir { $0.last == .some(ShownIdentity()) }
            try scene.witness.waitForBatch { $0.end - $0.start == 200 }
            try agent.end()
            let batches = try scene.witness.batches()
            #expect(batches.map(\.seq) == Array(0..<batches.count))
            #expect(agent.complaints.isEmpty, "\(agent.complaints)")
        }

        @Test("Home Assistant gets the new document, and removed entities are deleted")
        func homeAssistant() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "homeassistant/#", on: broker)
            let agent = try start(broker.port, options)
            try agent.waitForLog("connected")
            var shown = options
            shown.sections["homeAssistant"] = [
                "trackers": [
                    ["name": "cart", "uuid": Gateway.uuid, "major": 42, "minor": 1]
                ]
            ]
            try agent.reload(broker.port, shown)
            let tracker = "tracker-\(Gateway.uuid)-42-1"
            #expect(witness.waitForMessage { $0.payload.contains(#""\#(tracker)":{"#) } != nil)
            shown.sections["homeAssistant"] = [String: Any]()
            try agent.reload(broker.port, shown)
            // Home Assistant removes an entity that has only a platform. The next document omits
            // it.
            let gone = #""\#(tracker)":{"platform":"device_tracker"}"#
            #expect(witness.waitForMessage { $0.payload.contains(gone) } != nil)
            #expect(witness.wait { $0.last?.payload.contains(tracker) == false })
            try agent.reload(broker.port, options)
            #expect(witness.wait { $0.last?.payload == "" })
            try agent.end()
            #expect(agent.complaints.isEmpty, "\(agent.complaints)")
        }

        @Test("a tracker of an earlier run is deleted when the section returns without it")
        func homeAssistantOfAnotherRun() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "homeassistant/#", on: broker)
            func shown(_ minors: [Int]) -> Gateway.Options {
                var shown = options
                shown.sections["homeAssistant"] = [
                    "trackers": minors.map { minor -> [String: Any] in
                        [
                            "name": "cart \(minor)", "uuid": Gateway.uuid, "major": 42,
                            "minor": minor,
                        ]
                    }
                ]
                return shown
            }
            let before = try start(broker.port, shown([1, 2]))
            #expect(witness.waitForMessage { $0.payload.contains("cart 2") } != nil)
            try before.end()
            let agent = try start(broker.port, options)
            try agent.waitForLog("connected")
            try agent.reload(broker.port, shown([1]))
            let tracker = "tracker-\(Gateway.uuid)-42-2"
            let gone = #""\#(tracker)":{"platform":"device_tracker"}"#
            #expect(witness.waitForMessage { $0.payload.contains(gone) } != nil)
            #expect(witness.wait { $0.last?.payload.contains(tracker) == false })
            #expect(witness.received.last?.payload.contains("cart 1") == true)
            try agent.end()
            #expect(agent.complaints.isEmpty, "\(agent.complaints)")
        }

        @Test("a change that needs a restart is logged, and the other changes apply")
        func restartNeeded() throws {
            let broker = try Broker()
            let agent = try start(broker.port, options)
            try agent.waitForLog("connected")
            var other = options
            other.id = "till-9"
            other.sections["log"] = ["format": "json"]
            try agent.reload(broker.port, other, until: #""changed":"log.format""#)
            try agent.waitForLog("gateway.id changed: restart the agent to apply it")
            try agent.reload(broker.port, options, until: "msg=\"configuration reloaded")
            try agent.reload(broker.port, options, until: "no changes")
            try agent.end()
            #expect(agent.process.lines.count { $0.contains("restart the agent") } == 1)
        }

        @Test("the service manager is notified, and a missing file does not end the agent")
        func serviceManager() throws {
            let broker = try Broker()
            let place = folder.file("notify")
            let socket = try NotifySocket(at: place)
            let agent = try Gateway(
                port: broker.port, options, folder: folder,
                under: ["env", "NOTIFY_SOCKET=\(place)"])
            _ = try socket.wait(for: "READY=1")
            for isThere in [true, false] {
                if !isThere {
                    try FileManager.default.removeItem(atPath: folder.file("sightlined.json"))
                }
                agent.process.send(SIGHUP)
                _ = try socket.wait(for: "RELOADING=1")
                _ = try socket.wait(for: "MONOTONIC_USEC=")
                _ = try socket.wait(for: "READY=1")
            }
            try agent.waitForLog("can't be read")
            try agent.end()
        }

        @Test("--output - ignores SIGHUP")
        func output() throws {
            let radio = try RadioProgram()
            let configuration = try Gateway.configuration(1, options, in: folder)
            let agent = try Gateway.run([
                "--config", configuration, "--radio", radio.source, "--output", "-",
            ])
            #expect(agent.waitForLine { $0.hasPrefix("{") } != nil)
            agent.send(SIGHUP)
            let lines = agent.lines.count
            #expect(agent.waitForLines { $0.count > lines + 10 })
            agent.send(SIGTERM)
            #expect(agent.waitForExit() == 0)
        }
    }
}
