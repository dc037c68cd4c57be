import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("advertising after the end and without a broker")
    struct KeepingTests {
        private func local(minor: Int, keepsOnExit: Bool = false) -> [String: Any] {
            var section = ShownIdentity().section
            section["minor"] = minor
            section["keepOnExit"] = keepsOnExit
            return ["advertise": section]
        }

        @Test("with keepOnExit, advertising continues after the agent ends")
        func kept() throws {
            let scene = try TunedScene()
            let agent = try scene.start(local(minor: 9, keepsOnExit: true))
            let report = try scene.witness.waitForReport { $0.isAdvertising }
            try scene.radio.waitForAir { $0.last??.minor == 9 }
            let air = scene.radio.air
            try agent.end()
            _ = try scene.witness.waitForStatus("offline")
            #expect(scene.witness.reports.last?.session == report.session)
            #expect(scene.witness.reports.last?.isAdvertising == true)
            #expect(scene.radio.air == air)
            // Another agent without keepOnExit finds it and ends it on exit.
            let second = try scene.start(local(minor: 9))
            try scene.witness.waitForReport { $0.session != report.session && $0.isAdvertising }
            try second.end()
            try scene.radio.waitForAir { $0.last == .some(nil) }
        }

        @Test("--output - advertises the local file and leaves the layers unchanged")
        func standardOutput() throws {
            let scene = try TunedScene()
            try scene.publishAll()
            let agent = try scene.start(local(minor: 9))
            try scene.waitUntilTuned()
            try agent.end()
            let state = URL(fileURLWithPath: scene.folder.file("state/layers.json"))
            let saved = try Data(contentsOf: state)
            let start = scene.radio.air.count
            let shown = try Gateway.run([
                "--config", scene.folder.file("sightlined.json"), "--radio", scene.radio.source,
                "--output", "-",
            ])
            try scene.radio.waitForAir(from: start) { $0.contains { $0?.minor == 9 } }
            let line = shown.waitForLine { line in
                (try? SeenBatch(line)).map { $0.count > 0 } ?? false
            }
            #expect(line != nil)
            shown.send(SIGTERM)
            #expect(shown.waitForExit() == 0)
            #expect(!scene.radio.air.dropFirst(start).contains { $0?.minor == 7 })
            try scene.radio.waitForAir(from: start) { $0.last == .some(nil) }
            #expect(try Data(contentsOf: state) == saved)
        }
    }
}
