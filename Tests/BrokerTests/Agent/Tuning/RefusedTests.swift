import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("a controller that refuses")
    struct RefusedTests {
        struct Refusal: CustomTestStringConvertible {
            let family: String
            let opcode: String
            let status: String
            let name: String
            /// More often than the agent retries.
            let times: Int

            var testDescription: String { "\(family) \(opcode) \(status)" }
        }

        private static let refusals = [
            Refusal(
                family: "legacy", opcode: "0x2008", status: "0x0c", name: "Command Disallowed",
                times: 2),
            Refusal(
                family: "extended", opcode: "0x2036", status: "0x12",
                name: "Invalid HCI Command Parameters", times: 1),
        ]
        /// When the controller starts to refuse, in seconds: long after the first identity is on the air.
        private static let begin = 3

        @Test(
            "a refusal is reported with its status, and the last good identity is on the air",
            arguments: refusals)
        func refused(refusal: Refusal) throws {
            let begun = Int(Date().timeIntervalSince1970 * 1000)
            let fault =
                "\(Self.begin):refuse:\(refusal.opcode):\(refusal.status):\(refusal.times)"
            let scene = try TunedScene(
                radio: .init(family: refusal.family, faults: [fault], keepsPower: true))
            try scene.publishAll()
            let agent = try scene.start()
            try scene.waitUntilTuned()
            let start = scene.radio.air.count
            try scene.witness.waitForBatch { $0.start > begun + Self.begin * 1000 + 1000 }
            try scene.publisher.publish(
                #"{"version":2,"advertise":{"minor":8}}"#, of: .gateway)
            let report = try scene.witness.waitForReport { $0.status == "refused" }
            #expect(report.versions == [1, 1, 1])
            #expect(report.identity == ShownIdentity())
            #expect(report.isAdvertising)
            #expect(report.faults.map(\.description) == ["gateway 2 /advertise controller-refused"])
            let message = try #require(report.faults.first).message
            #expect(message.contains("\(refusal.name) (\(refusal.status))"), "\(message)")
            try scene.radio.waitForAir(from: start - 1) { $0.last == .some(ShownIdentity()) }
            #expect(!scene.radio.air.contains { $0?.minor == 8 })
            try agent.waitForLog(refusal.name)
            #expect(agent.complaints.count == 1, "\(agent.complaints)")
            #expect(agent.complaints.first?.contains(refusal.name) == true)
            #expect(try scene.savedLayers()["gateway"]?["version"] as? Int == 1)
            // The controller accepts again: a later version of the same document is applied.
            try scene.publisher.publish(
                #"{"version":3,"advertise":{"minor":8}}"#, of: .gateway)
            let granted = try scene.witness.waitForReport { $0.versions == [1, 1, 3] }
            #expect(granted.status == "applied")
            try scene.radio.waitForAir { $0.last??.minor == 8 }
            try agent.end()
            let batches = try scene.witness.batches()
            #expect(batches.dropFirst().allSatisfy { !$0.isDeaf })
        }
    }
}
