import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("tuned in three layers")
    struct LayersTests {
        private static func remembering(_ isRemembering: Bool) -> Broker.Options {
            var options = Broker.Options()
            options.remembers = isRemembering
            return options
        }

        @Test(
            "layers are in force again at a start without any broker, and with one that knows none")
        func restarted() throws {
            let scene = try TunedScene()
            try scene.publishAll()
            let first = try scene.start()
            let tuned = try scene.waitUntilTuned()
            #expect(tuned.identity == ShownIdentity())
            try first.end()
            scene.broker.stop()
            let second = try scene.start()
            try second.waitForLog("advertising")
            let start = scene.radio.air.count
            try scene.radio.waitForAir { $0.last == .some(ShownIdentity()) }
            try scene.broker.restart()
            let witness = try Subscriber(to: "sightline/#", on: scene.broker)
            let report = try witness.waitForReport { $0.isAdvertising }
            #expect(report.session != tuned.session)
            #expect(report.versions == [1, 1, 1])
            #expect(report.status == "applied")
            #expect(report.isPersisted)
            #expect(report.identity == ShownIdentity())
            // The broker has no documents any more: nothing goes dark, and nothing is forgotten.
            try witness.waitForBatch { $0.count > 0 }
            #expect(scene.radio.air.dropFirst(start).allSatisfy { $0 == ShownIdentity() })
            #expect(try scene.savedLayers().count == 3)
            try second.end()
        }

        @Test("an empty message removes a layer, on the air, in the report, and in the file")
        func removed() throws {
            let scene = try TunedScene()
            try scene.publishAll()
            let agent = try scene.start(["advertise": ["minor": 9]])
            try scene.waitUntilTuned()
            try scene.publisher.publish("", of: .gateway)
            let report = try scene.witness.waitForReport { $0.versions == [1, 1, nil] }
            #expect(report.status == "applied")
            #expect(report.identity?.minor == 9)
            var expected = ShownIdentity()
            expected.minor = 9
            try scene.radio.waitForAir { $0.last == .some(expected) }
            #expect(Set(try scene.savedLayers().keys) == ["fleet", "site"])
            // Without the fleet's number there is no identity, and the radio falls silent.
            try scene.publisher.publish("", of: .fleet)
            let last = try scene.witness.waitForReport { $0.versions == [nil, 1, nil] }
            #expect(last.status == "applied")
            #expect(!last.isAdvertising)
            try scene.radio.waitForAir { $0.last == .some(nil) }
            #expect(Set(try scene.savedLayers().keys) == ["site"])
            try agent.end()
        }

        @Test(
            "a broker that comes back changes nothing, with or without its memory",
            arguments: [true, false])
        func brokerRestarted(isRemembering: Bool) throws {
            let scene = try TunedScene(Self.remembering(isRemembering))
            try scene.publishAll()
            let agent = try scene.start()
            let tuned = try scene.waitUntilTuned()
            let air = scene.radio.air
            scene.broker.stop()
            try agent.waitForLog("<4>")
            try scene.broker.restart()
            // That it is the agent's word, and not the broker's memory.
            #expect(
                scene.broker.waitForMessage(
                    from: "sightline-store-042-entry-1",
                    to: "sightline/v1/store-042/entry-1/config/reported"))
            let witness = try Subscriber(to: "sightline/#", on: scene.broker)
            let report = try witness.waitForReport { _ in true }
            #expect(report.text == tuned.text)
            #expect(
                try scene.savedLayers().mapValues { $0["version"] as? Int }
                    == ["fleet": 1, "site": 1, "gateway": 1])
            #expect(scene.radio.air == air)
            // The layers' topics are listened to again.
            try scene.publisher.publish(
                #"{"version":2,"advertise":{"minor":8}}"#, of: .gateway)
            let next = try witness.waitForReport { $0.versions == [1, 1, 2] }
            #expect(next.identity?.minor == 8)
            try agent.end()
        }

        @Test("of retained documents that changed while the agent was away, the new ones are taken")
        func changedMeanwhile() throws {
            let scene = try TunedScene()
            try scene.publishAll()
            try scene.start().end(afterReport: scene)
            try scene.publisher.publish(#"{"version":2,"advertise":{"major":43}}"#, of: .site)
            // Removed while nobody looked: the agent has not seen the empty message.
            try scene.publisher.publish("", of: .gateway)
            let start = scene.radio.air.count
            let agent = try scene.start()
            let report = try scene.witness.waitForReport { $0.versions == [1, 2, 1] }
            #expect(report.status == "applied")
            var expected = ShownIdentity()
            expected.major = 43
            try scene.radio.waitForAir(from: start) { $0.last == .some(expected) }
            // From the saved identity to the new one, and nothing else.
            var seen: [ShownIdentity] = []
            for identity in scene.radio.air.dropFirst(start).compactMap(\.self)
            where identity != seen.last { seen.append(identity) }
            #expect(seen == [ShownIdentity(), expected])
            try agent.end()
        }
    }
}

extension Gateway {
    /// Ends it once the usual identity is on the air.
    fileprivate func end(afterReport scene: TunedScene) throws {
        try scene.waitUntilTuned()
        try end()
    }
}
