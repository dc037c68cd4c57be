import Contract
import MQTT
import MessageSamples
import Primitives
import Subscriber
import Testing

@testable import Subcommands

extension RolloutTests {
    @Test(
        "a change by another client is a conflict, the base is not",
        arguments: [
            (#"{"version":4,"advertise":{"major":42}}"#, false, nil),
            (#"{"version":3}"#, true, nil),
            (#"{"version":2}"#, false, "published version 2"), ("", false, "removed the document"),
            ("{", false, "that can't be read"),
        ] as [(String, Bool, String?)])
    func conflicts(text: String, isRetained: Bool, words: String?) throws {
        var rollout = try Self.published([Self.report(Reports.message(), isRetained: true)])
        rollout.on(Self.document(text, isRetained: isRetained), at: Self.at(3))
        let note = Self.notes(&rollout).first
        #expect(rollout.exit == (words == nil ? nil : .failed))
        #expect(words.map { note?.contains($0) == true } ?? (note == nil))
    }

    @Test("restoring the old document is a conflict")
    func putBack() throws {
        var rollout = try Self.published([Self.report(Reports.message(), isRetained: true)])
        rollout.on(Self.document(#"{"version":4,"advertise":{"major":42}}"#), at: Self.at(3))
        #expect(rollout.exit == nil)
        rollout.on(Self.document(#"{"version":3}"#), at: Self.at(3))
        #expect(rollout.exit == .failed)
    }

    @Test(
        "a new connection publishes the lost document again",
        arguments: [
            (nil, true), (#"{"version":3}"#, true),
            (#"{"version":4,"advertise":{"major":42}}"#, false),
        ] as [(String?, Bool)])
    func reconnection(retained: String?, isRepeated: Bool) throws {
        var rollout = try Self.published([Self.report(Reports.message(), isRetained: true)])
        rollout.lost(at: Self.at(3))
        rollout.subscribed(at: Self.at(4))
        if let retained {
            rollout.on(Self.document(retained, isRetained: true), at: Self.at(4))
        }
        // All gateways have answered, but the broker does not have the document.
        rollout.on(Self.report(Reports.message(site: 4)), at: Self.at(4))
        #expect(rollout.exit == nil)
        rollout.tick(at: Self.at(5))
        let next = rollout.nextPublication()
        #expect((next != nil) == isRepeated)
        if let next { rollout.on(acknowledgement: next.token, .success, at: Self.at(5)) }
        #expect(rollout.exit == .done)
    }

    @Test("another client's document on a new connection is a conflict")
    func reconnectionConflict() throws {
        var rollout = try Self.published()
        rollout.lost(at: Self.at(3))
        rollout.on(Self.document(#"{"version":9}"#, isRetained: true), at: Self.at(4))
        #expect(rollout.exit == .failed)
    }

    @Test("a refused publication ends the rollout")
    func refusal() throws {
        var rollout = try Self.rollout { $0.createsPlaces = true }
        rollout.subscribed(at: Self.second)
        rollout.tick(at: Self.at(2))
        _ = rollout.takeOutputs()
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        rollout.on(acknowledgement: next.token, .quotaExceeded, at: Self.at(2))
        #expect(rollout.exit == .failed)
        #expect(
            Self.notes(&rollout) == [
                "the broker refused version 1 of \(Self.topic): quota exceeded (0x97)"
            ])
    }

    @Test("an oversized document can't be read")
    func oversized() throws {
        var rollout = try Self.rollout()
        rollout.onOversized(topic: Self.topic, bytes: 2_000_000, at: Self.second)
        rollout.subscribed(at: Self.second)
        rollout.tick(at: Self.at(2))
        #expect(rollout.exit == .failed)
        #expect(Self.notes(&rollout).first?.contains("2000000 bytes") == true)
    }
}
