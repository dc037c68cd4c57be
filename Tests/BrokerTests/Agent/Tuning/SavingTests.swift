import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("disk errors")
    struct SavingTests {
        private static let local: [String: any Sendable] = [
            "uuid": Gateway.uuid, "major": 1, "minor": 2,
        ]

        private struct Damage: CustomTestStringConvertible {
            let testDescription: String
            let text: String

            init(_ name: String, _ text: String) {
                testDescription = name
                self.text = text
            }
        }

        private static let wrong =
            #"{"v":1,"root":"sightline/v1","site":"store-042","gateway":"entry-1","#
            + #""layers":{"gateway":{"version":1,"advertise":{"major":70000}}}}"#

        private static let damages = [
            Damage("empty", ""), Damage("cut short", "{"), Damage("no object", "[]"),
            Damage("without layers", #"{"v":1}"#), Damage("bytes", "\u{0}\u{1}"),
            Damage("nested", String(repeating: "[", count: 70_000)),
            Damage("out of range", wrong),
            Damage("large", String(repeating: " ", count: 3_000_000)),
        ]

        @Test(
            "a corrupt state file is renamed and logged once, and the local file is in force",
            arguments: damages)
        private func damaged(damage: Damage) throws {
            let text = damage.text
            let scene = try TunedScene()
            let state = scene.folder.file("state")
            try FileManager.default.createDirectory(
                atPath: state, withIntermediateDirectories: true)
            try scene.folder.write(text, to: "state/layers.json")
            let agent = try scene.start(["advertise": Self.local])
            var expected = ShownIdentity()
            (expected.major, expected.minor) = (1, 2)
            try scene.radio.waitForAir { $0.last == .some(expected) }
            let report = try scene.witness.waitForReport { $0.isAdvertising }
            #expect(report.versions == [nil, nil, nil])
            #expect(report.status == "applied")
            #expect(agent.complaints.count == 1, "\(agent.complaints)")
            #expect(agent.complaints.first?.contains("corrupt; file renamed") == true)
            let aside = try String(contentsOfFile: state + "/layers.json.damaged", encoding: .utf8)
            #expect(aside == text)
            #expect(!FileManager.default.fileExists(atPath: state + "/layers.json"))
            try scene.publisher.publish(TunedScene.gateway, of: .gateway)
            try scene.witness.waitForReport { $0.versions == [nil, nil, 1] && $0.isPersisted }
            #expect(Set(try scene.savedLayers().keys) == ["gateway"])
            try agent.end()
        }

        private enum Fault: CaseIterable {
            /// The state directory is below a file.
            case noFolder
            /// The file's name is a folder's.
            case occupied
            /// No file can grow.
            case full
        }

        @Test(
            "layers that can't be saved are in force, and the error is logged once",
            arguments: Fault.allCases)
        private func unsaved(fault: Fault) throws {
            let scene = try TunedScene()
            var sections: [String: Any] = [:]
            if fault == .noFolder {
                sections["stateDirectory"] =
                    try scene.folder.write("a file", to: "state") + "/deeper"
            }
            if fault == .occupied {
                try FileManager.default.createDirectory(
                    atPath: scene.folder.file("state/layers.json"),
                    withIntermediateDirectories: true)
            }
            let agent = try scene.start(sections) { $0.isDiskFull = fault == .full }
            for version in 1...3 {
                try scene.publisher.publish(
                    ShownIdentity(number: version).document(version: version), of: .gateway)
                let report = try scene.witness.waitForReport {
                    $0.versions[2] == version && $0.isAdvertising
                }
                #expect(report.status == "applied")
                #expect(!report.isPersisted)
                #expect(report.identity == ShownIdentity(number: version))
            }
            #expect(
                agent.complaints.filter { $0.contains("can't save the configuration layers") }.count
                    == 1,
                "\(agent.complaints)")
            // An obstacle in the path is logged at the start as well.
            #expect(agent.complaints.count <= 3, "\(agent.complaints)")
            #expect(Set(agent.complaints).count == agent.complaints.count)
            try agent.end()
            let batches = try scene.witness.batches()
            #expect(batches.map(\.seq) == Array(0..<batches.count))
            for (earlier, later) in zip(batches, batches.dropFirst()) {
                #expect(later.start == earlier.end)
            }
        }

        @Test("the agent creates the state directory")
        func made() throws {
            let scene = try TunedScene()
            let agent = try scene.start(["stateDirectory": scene.folder.file("a/b/c")])
            try scene.publisher.publish(TunedScene.gateway, of: .gateway)
            let report = try scene.witness.waitForReport { $0.versions == [nil, nil, 1] }
            #expect(report.isPersisted)
            #expect(
                FileManager.default.fileExists(atPath: scene.folder.file("a/b/c/layers.json")))
            try agent.end()
            #expect(agent.complaints.isEmpty, "\(agent.complaints)")
        }
    }
}
