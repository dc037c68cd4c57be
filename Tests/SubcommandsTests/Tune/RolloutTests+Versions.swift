import MessageSamples
import Testing

@testable import Subcommands

/// Other clients, and versions that are too high.
extension RolloutTests {
    private static let rival = #"{"version":4,"advertise":{"major":43}}"#

    @Test("a document that another client published first is restored", arguments: [4, 5])
    func restoration(version: Int64) throws {
        let rival = #"{"version":\#(version),"advertise":{"major":43}}"#
        var rollout = try Self.published()
        rollout.on(Self.document(rival), at: Self.at(3))
        #expect(Self.notes(&rollout).first?.contains("published version \(version) on") == true)
        #expect(rollout.exit == nil)
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        #expect(String(decoding: next.message.payload, as: UTF8.self) == rival)
        #expect(next.message.isRetained)
        #expect(rollout.nextPublication() == nil)
        // The own document, then the other one again.
        rollout.on(Self.document(#"{"version":4,"advertise":{"major":42}}"#), at: Self.at(3))
        rollout.on(Self.document(rival), at: Self.at(3))
        #expect(rollout.exit == nil)
        rollout.on(acknowledgement: next.token, .success, at: Self.at(4))
        #expect(rollout.exit == .failed)
    }

    @Test("of several documents the first of the highest version is restored")
    func severalRivals() throws {
        var rollout = try Self.published()
        let texts = [
            Self.rival, #"{"version":4,"advertise":{"major":44}}"#, #"{"version":6}"#,
            #"{"version":5}"#,
        ]
        for text in texts { rollout.on(Self.document(text), at: Self.at(3)) }
        var restored: [String] = []
        while let next = rollout.nextPublication() {
            restored.append(String(decoding: next.message.payload, as: UTF8.self))
            rollout.on(acknowledgement: next.token, .success, at: Self.at(4))
        }
        #expect(restored == [Self.rival, #"{"version":6}"#])
        #expect(rollout.exit == .failed)
    }

    @Test("a later document of the same version gives way to ours, or the rollout fails")
    func laterRival() throws {
        let own = #"{"version":4,"advertise":{"major":42}}"#
        let report = Self.report(Reports.message(site: 4))
        var rollout = try Self.published([Self.report(Reports.message(), isRetained: true)])
        rollout.on(Self.document(own), at: Self.at(3))
        rollout.on(Self.document(Self.rival), at: Self.at(3))
        rollout.on(report, at: Self.at(3))
        #expect(rollout.exit == nil)
        #expect(rollout.nextPublication() == nil)
        var other = rollout
        rollout.on(Self.document(own), at: Self.at(4))
        #expect(rollout.exit == .done)
        other.tick(at: Self.at(33))
        #expect(other.exit == .failed)
        #expect(Self.notes(&other).first?.contains("another document of the same version") == true)
    }

    @Test("without a connection another client's document can't be restored")
    func restorationLost() throws {
        var rollout = try Self.published()
        rollout.on(Self.document(Self.rival), at: Self.at(3))
        rollout.lost(at: Self.at(3))
        #expect(rollout.exit == .failed)
    }

    @Test("a restart of the versions publishes a removal, then the document")
    func restart() throws {
        let last: Int64 = 9_007_199_254_740_991
        var rollout = try Self.rollout {
            $0.edits = [.init(name: LayerName(site: "store-042"), assignments: [])]
            $0.mode = .restart(replacing: false)
        }
        rollout.subscribed(at: Self.second)
        rollout.on(
            Self.document(#"{"version":\#(last),"report":{"windowMs":500}}"#, isRetained: true),
            at: Self.second)
        rollout.on(Self.report(Reports.message(site: last), isRetained: true), at: Self.second)
        rollout.tick(at: Self.at(2))
        var payloads: [String] = []
        while let next = rollout.nextPublication() {
            let text = String(decoding: next.message.payload, as: UTF8.self)
            payloads.append(text)
            rollout.on(acknowledgement: next.token, .success, at: Self.at(2))
            rollout.on(Self.document(text), at: Self.at(2))
            #expect(rollout.exit == nil)
        }
        #expect(payloads == ["", #"{"version":1,"report":{"windowMs":500}}"#])
        rollout.on(Self.report(Reports.message(site: 1)), at: Self.at(3))
        #expect(rollout.exit == .done)
    }

    @Test("one gateway with an impossible version does not stop the others")
    func impossibleVersion() throws {
        let last: Int64 = 9_007_199_254_740_991
        var rollout = try Self.rollout()
        rollout.subscribed(at: Self.second)
        rollout.on(Self.document(#"{"version":3}"#, isRetained: true), at: Self.second)
        rollout.on(Self.report(Reports.message(site: 3), isRetained: true), at: Self.second)
        rollout.on(
            Self.report(Reports.message(site: last), of: Samples.till, isRetained: true),
            at: Self.second)
        rollout.tick(at: Self.at(2))
        #expect(Self.notes(&rollout).first?.hasPrefix("ignored: \(Samples.till) reports") == true)
        let publication = rollout.nextPublication()
        let next = try #require(publication)
        #expect(
            String(decoding: next.message.payload, as: UTF8.self)
                == #"{"version":4,"advertise":{"major":42}}"#)
        rollout.on(acknowledgement: next.token, .success, at: Self.at(2))
        rollout.on(Self.report(Reports.message(site: 4)), at: Self.at(3))
        // The exit code stays 1: a gateway has not applied the document.
        #expect(rollout.exit == .failed)
        #expect(rollout.results.latest[Samples.entry]?.verdict == .applied)
        #expect(rollout.results.latest[Samples.till]?.verdict == .overtaken)
    }
}
