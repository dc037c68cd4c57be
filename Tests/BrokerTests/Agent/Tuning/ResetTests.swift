import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("versions that begin again")
    struct ResetTests {
        @Test("tune --reset-versions keeps the identity on the air")
        func reset() throws {
            let scene = try TunedScene()
            try scene.publishAll()
            // The highest first version.
            try scene.publisher.publish(
                #"{"version":9007199253740991,"advertise":{"minor":7}}"#, of: .gateway)
            let agent = try scene.start()
            try scene.radio.waitForAir { $0.last == .some(ShownIdentity()) }
            let start = scene.radio.air.count
            let tune = try ChildProcess(
                try #require(BuiltProgram.find("sightline")),
                [
                    "tune", "--broker", "mqtt://127.0.0.1:\(scene.broker.port)", "--site",
                    "store-042", "--gateway", "entry-1", "--reset-versions",
                ])
            #expect(tune.waitForExit() == 0, "\(tune.lines)")
            let report = try scene.witness.waitForReport { $0.versions == [1, 1, 1] }
            #expect(report.status == "applied")
            #expect(report.identity == ShownIdentity())
            // The next change has the next version.
            try scene.publisher.publish(#"{"version":2,"advertise":{"minor":8}}"#, of: .gateway)
            try scene.witness.waitForReport { $0.versions == [1, 1, 2] }
            var expected = ShownIdentity()
            expected.minor = 8
            try scene.radio.waitForAir(from: start) { $0.last == .some(expected) }
            // The removal and the document reached the radio together: the identity went off the air only for the last change.
            let before = scene.radio.air.dropFirst(start).prefix { $0 != .some(expected) }
            #expect(before.count <= 1 && before.allSatisfy { $0 == nil }, "\(before)")
            try agent.end()
        }
    }
}
