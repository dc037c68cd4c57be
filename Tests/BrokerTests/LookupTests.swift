import Agent
import Foundation
import MQTT
import Outbox
import Posix
import Primitives
import Session
import TestSupport
import Testing

extension BrokerTests {
    @Suite("a resolver that does not answer")
    struct LookupTests {
        private let folder: TemporaryFolder
        private let gate = DispatchSemaphore(value: 0)

        init() throws { folder = try TemporaryFolder() }

        private var file: DatabaseFile {
            DatabaseFile(path: folder.file("outbox.sqlite"), maxBytes: 1 << 20)
        }

        /// A resolver that answers after the gate opens.
        private var silent: Lookup.Resolver {
            let gate = gate
            return { _, _ in
                gate.wait()
                return true
            }
        }

        /// The number of batches that the next start after a kill would find: the uplink keeps the file locked, so this reads a copy.
        private func left() throws -> Int {
            let copy = try TemporaryFolder()
            for name in ["outbox.sqlite", "outbox.sqlite-wal"]
            where FileManager.default.fileExists(atPath: folder.file(name)) {
                try FileManager.default.copyItem(
                    atPath: folder.file(name), toPath: copy.file(name))
            }
            let disk = DatabaseFile(path: copy.file("outbox.sqlite"), maxBytes: 1 << 20)
            var outbox = Outbox(origin: Origin(session: "next"), disk: disk)
            outbox.open(at: Instant(microseconds: 0))
            return outbox.stored
        }

        @Test("it delays neither the storing of batches nor the end of the agent")
        func stores() throws {
            let disk = file
            let resolver = silent
            let uplink = try UplinkDriver(
                to: ConnectionSettings(host: "broker.example", port: 1883)
            ) {
                $0.delivery.disk = disk
                $0.brokers.resolver = resolver
                $0.delivery.limits = OutboxLimits(spillAfter: .milliseconds(100))
                $0.shutdownTime = .seconds(3600)
            }
            uplink.post(0..<5)
            let deadline = Deadline()
            while try left() < 5, !deadline.hasPassed {
                #expect(try uplink.staysAlive(milliseconds: 50))
            }
            #expect(!deadline.hasPassed)
            uplink.post(5..<8)
            try uplink.end()
            #expect(try left() == 8)
            gate.signal()
        }

        @Test("the next broker is tried, and only one lookup runs")
        func nextBroker() throws {
            let broker = try Broker()
            let witness = try Subscriber(to: "sightline/v1/#", on: broker)
            let gate = gate
            let asked = Guarded(0)
            let port = broker.port
            let uplink = try UplinkDriver(
                to: ConnectionSettings(host: "broker.example", port: 1883)
            ) {
                $0.brokers.alternatives = [
                    BrokerEndpoint(
                        ConnectionSettings(host: "127.0.0.1", port: port), .automatic)
                ]
                $0.brokers.lookupLimit = .milliseconds(100)
                $0.brokers.resolver = { host, _ in
                    guard host == "broker.example" else { return true }
                    asked.withLock { $0 += 1 }
                    gate.wait()
                    return true
                }
            }
            uplink.post(0..<3)
            try witness.waitForBatch { $0.seq == 2 }
            broker.kill()
            // Several attempts at all brokers.
            #expect(try uplink.staysAlive(milliseconds: 1500))
            try broker.restart()
            uplink.post(3..<5)
            let again = try Subscriber(to: "sightline/v1/#", on: broker)
            _ = try again.waitForStatus("online")
            #expect(asked.withLock { $0 } == 1)
            gate.signal()
            try uplink.end()
        }
    }
}
