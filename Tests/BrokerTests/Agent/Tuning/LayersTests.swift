import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("three layers")
    struct LayersTests {
        private static func remembering(_ isRemembering: Bool) -> Broker.Options {
            var options = Broker.Options()
            options.remembers = isRemembering
            return options
        }

        @Test(
            "saved layers are in force without a broker and with an empty one")
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
            // The broker has no documents: the saved layers stay in force.
            try witness.waitForBatch { $0.count > 0 }
            #expect(scene.radio.air.dropFirst(start).allSatisfy { $0 == ShownIdentity() })
            #expect(try scene.savedLayers().count == 3)
            try second.end()
        }

        @Test("an empty message removes a layer on the air, in the report and in the file")
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
            // Without the fleet's UUID there is no identity, and advertising stops.
            try scene.publisher.publish("", of: .fleet)
            let last = try scene.witness.waitForReport { $0.versions == [nil, 1, nil] }
            #expect(last.status == "applied")
            #expect(!last.isAdvertising)
            try scene.radio.waitForAir { $0.last == .some(nil) }
            #expect(Set(try scene.savedLayers().keys) == ["site"])
            try agent.end()
        }

        @Test(
            "a restarted broker changes nothing, with or without its store",
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
            // The message comes from the agent, not from the broker's store.
            #expect(
                scene.broker.waitForMessage(
                    from: "store-042/entry-1",
                    to: "sightline/v1/store-042/entry-1/config/reported"))
            let witness = try Subscriber(to: "sightline/#", on: scene.broker)
            let report = try witness.waitForReport { _ in true }
            #expect(report.text == tuned.text)
            #expect(
                try scene.savedLayers().mapValues { $0["version"] as? Int }
                    == ["fleet": 1, "site": 1, "gateway": 1])
            #expect(scene.radio.air == air)
            // The agent has subscribed to the layers again.
            try scene.publisher.publish(
                #"{"version":2,"advertise":{"minor":8}}"#, of: .gateway)
            let next = try witness.waitForReport { $0.versions == [1, 1, 2] }
            #expect(next.identity?.minor == 8)
            try agent.end()
        }

        @Test("after a restart the agent takes the changed retained documents")
        func changedMeanwhile() throws {
            let scene = try TunedScene()
            try scene.publishAll()
            try scene.start().end(afterReport: scene)
            try scene.publisher.publish(#"{"version":2,"advertise":{"major":43}}"#, of: .site)
            // Removed while the agent is down: it does not receive the empty message.
            try scene.publisher.publish("", of: .gateway)
            let start = scene.radio.air.count
            let agent = try scene.start()
            let report = try scene.witness.waitForReport { $0.versions == [1, 2, 1] }
            #expect(report.status == "applied")
            var expected = ShownIdentity()
            expected.major = 43
            try scene.radio.waitForAir(from: start) { $0.last == .some(expected) }
            // The air shows only the saved and the new identity.
            var seen: [ShownIdentity] = []
            for identity in scene.radio.air.dropFirst(start).compactMap(\.self)
            where identity != seen.last { seen.append(identity) }
            #expect(seen == [ShownIdentity(), expected])
            try agent.end()
        }
    }
}

extension Gateway {
    /// Ends the agent after the usual identity is on the air.
    fileprivate func end(afterReport scene: TunedScene) throws {
        try scene.waitUntilTuned()
        try end()
    }
}
