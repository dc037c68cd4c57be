import Agent
import Contract
import MQTT
import Posix
import TestSupport
import Testing

extension BrokerTests {
    @Suite("layer reports of the uplink")
    struct UplinkReportTests {
        /// A QoS 0 PUBLISH of MQTT 5, no longer than 127 bytes (section 3.3).
        private static func publication(of payload: String, to topic: String) -> [UInt8] {
            let body =
                [UInt8(0), UInt8(topic.utf8.count)] + Array(topic.utf8) + [0]
                + Array(payload.utf8)
            return [0x30, UInt8(body.count)] + body
        }

        @Test("no second report is published before the first is acknowledged")
        func oneAtATime() throws {
            let topics = try #require(Topics(site: "store-042", gateway: "entry-1"))
            let wrong = Self.publication(of: "{", to: topics.desired(.gateway))
            let reported = topics.topic(.reported)
            let reports = Guarded(0)
            let healths = Guarded(0)
            let broker = try FakeBroker { _ in
                .serve([0x20, 0x03, 0x00, 0x00, 0x00]) { packet in
                    // Health comes at QoS 0 and retained, ten times a second: with each, a document that is wrong.
                    if packet.first == 0x31 {
                        healths.withLock { $0 += 1 }
                        return wrong
                    }
                    if PublishedPackets.Packet(packet)?.topic == reported {
                        reports.withLock { $0 += 1 }
                    }
                    return []
                }
            }
            let settings = ConnectionSettings(host: "127.0.0.1", port: broker.port)
            let uplink = try UplinkDriver(to: settings, choice: .fixed(.v5)) {
                $0.reconciler = SettingsReconciler(local: .object([]), settings: GatewaySettings())
                // The broker does not answer, so the shutdown waits for this time.
                $0.shutdownTime = .milliseconds(100)
            }
            let end = Deadline()
            while healths.withLock({ $0 }) < 5, !end.hasPassed {
                #expect(try uplink.staysAlive(milliseconds: 20))
            }
            #expect(healths.withLock { $0 } >= 5)
            #expect(reports.withLock { $0 } == 1)
            try uplink.end()
        }
    }
}
