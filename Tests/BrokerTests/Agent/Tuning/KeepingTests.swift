import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("advertising at the end, and without a broker")
    struct KeepingTests {
        private func local(minor: Int, keepsOnExit: Bool = false) -> [String: Any] {
            var section = ShownIdentity().section
            section["minor"] = minor
            section["keepOnExit"] = keepsOnExit
            return ["advertise": section]
        }

        @Test("what is to be kept stays on the air when the agent ends, and is so reported")
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
            // Another agent, which is not to keep it, finds it and takes it off at its own end.
            let second = try scene.start(local(minor: 9))
            try scene.witness.waitForReport { $0.session != report.session && $0.isAdvertising }
            try second.end()
            try scene.radio.waitForAir { $0.last == .some(nil) }
        }

        @Test("standard output shows what the file says, on the air as well, and touches no layers")
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
