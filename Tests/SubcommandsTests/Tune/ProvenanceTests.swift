import MQTT
import MessageSamples
import Primitives
import Testing

@testable import Subcommands

@Suite("where a document comes from")
struct ProvenanceTests {
    private static func document(_ text: String) -> RetainedDocument {
        RetainedDocument(Array(text.utf8))
    }

    @Test("the properties name the time in milliseconds and the document before, in one line")
    func properties() {
        let base = Self.document("{\n  \"version\": 3,\n  \"report\": {\"windowMs\": 500}\n}\n")
        let provenance = Provenance(replacing: base)
            .published(at: 1_780_000_000_125)
        #expect(
            provenance.properties == [
                UserProperty(name: "published-at", value: "1780000000125"),
                UserProperty(name: "replaces", value: #"{"version":3,"report":{"windowMs":500}}"#),
            ])
        #expect(Provenance(provenance.properties) == provenance)
    }

    @Test("a document before that is missing, unreadable or large is left out")
    func withoutBase() {
        let large = #"{"version":3,"filter":{"uuids":["\#(String(repeating: "0", count: 4096))"]}}"#
        for base in [nil, Self.document("{"), Self.document("{}"), Self.document(large)] {
            #expect(Provenance(replacing: base).properties == [])
        }
    }

    @Test(
        "properties of others are no time",
        arguments: ["", "yesterday", "-1", "0", "1e3", "99999999999999999999"])
    func foreign(value: String) {
        let provenance = Provenance([
            UserProperty(name: "published-at", value: value),
            UserProperty(name: "colour", value: "red"),
        ])
        #expect(provenance == Provenance())
    }

    @Test("documents of equal bytes are equal, wherever they come from")
    func equality() {
        let bytes = Array(#"{"version":1}"#.utf8)
        let dated = Provenance().published(at: 1)
        #expect(RetainedDocument(bytes) == RetainedDocument(bytes, dated))
    }
}

extension RolloutTests {
    @Test("the message has the time of its publication and the document that it replaces")
    func provenance() throws {
        var rollout = try Self.rollout()
        rollout.subscribed(at: Self.second)
        rollout.on(Self.document(#"{"version":3}"#, isRetained: true), at: Self.second)
        rollout.tick(at: Self.second + Rollout.quiet)
        let publication = rollout.nextPublication(at: 5000)
        #expect(
            try #require(publication).message.userProperties == [
                UserProperty(name: "published-at", value: "5000"),
                UserProperty(name: "replaces", value: #"{"version":3}"#),
            ])
    }

    @Test("a restored document keeps its own properties", arguments: [true, false])
    func restoredProvenance(isDated: Bool) throws {
        var rollout = try Self.published()
        var rival = Self.document(#"{"version":4,"advertise":{"major":43}}"#)
        if isDated { rival.userProperties = [UserProperty(name: "published-at", value: "77")] }
        rollout.on(rival, at: Self.at(3))
        let publication = rollout.nextPublication()
        #expect(try #require(publication).message.userProperties == rival.userProperties)
    }
}
