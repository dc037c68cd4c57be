import Contract
import JSON
import MessageSamples
import Subscriber
import Testing

@testable import Subcommands

@Suite("revisions of a document")
struct DocumentRevisionTests {
    @Test(
        "the version follows every known version",
        arguments: [
            (nil, nil, #"{"version":1,"advertise":{"major":42}}"#),
            (#"{"version":3}"#, nil, #"{"version":4,"advertise":{"major":42}}"#),
            (#"{"version":3}"#, 2, #"{"version":4,"advertise":{"major":42}}"#),
            (#"{"version":12}"#, 12, #"{"version":13,"advertise":{"major":42}}"#),
            (#"{"advertise":{"major":42}}"#, nil, #"{"version":1,"advertise":{"major":42}}"#),
        ] as [(String?, Int64?, String)])
    func versions(base: String?, highest: Int64?, document: String) throws {
        let revision = try Revisions.revision(base, ["advertise.major=42"], highest: highest)
        #expect(revision.bytes.map { String(decoding: $0, as: UTF8.self) } == document)
    }

    @Test("without a change the version stays")
    func unchanged() throws {
        let revision = try Revisions.revision(
            #"{"advertise":{"major":42},"version":3}"#, ["advertise.major=42"], highest: 3)
        #expect(revision.bytes == nil)
        #expect(revision.version == 3)
        #expect(try Revisions.revision(nil, ["advertise.major=null"]).version == nil)
    }

    @Test(
        "finds faults of the new document, not of the old one",
        arguments: [
            (nil, "advertise.majr=1", "unknown key “majr”; did you mean “major”?"),
            // The removal of an unknown key is a fault.
            (
                nil, "advertise.majr=null",
                "unknown key “majr”; did you mean “major”?"
            ),
            (
                nil, "advertise.majr:=null",
                "unknown key “majr”; did you mean “major”?"
            ),
            (nil, "advertise.major=65536", "major must be 0…65535, not 65536"),
            (nil, "advertise.major=x", "major must be a whole number, not “x”"),
            (nil, "advertise.major=0x9", "major must be a whole number, not “0x9”"),
            (nil, "advertise.enabled=yes", "enabled must be true or false, not “yes”"),
            (
                nil, "filter.uuids=e2c5",
                "uuids must be an array, not “e2c5”, such as filter.uuids='[\"…\"]'"
            ),
            (
                nil, "report.maxIdentities=5",
                "report.maxIdentities can be set only in the gateway's own file"
            ),
            (
                nil, "major=7",
                "unknown key “major”; did you mean advertise.major?"
            ),
            (
                nil, "windowMs=null",
                "unknown key “windowMs”; did you mean report.windowMs?"
            ),
            (#"{"version":1,"advertise":{"majr":1}}"#, "advertise.majr=null", nil),
            (nil, "advertise.major:=null", nil),
        ] as [(String?, String, String?)])
    func faults(base: String?, assignment: String, message: String?) throws {
        var found: String?
        do {
            _ = try Revisions.revision(base, [assignment])
        } catch let failure as DocumentRevision.Failure {
            if case .faults(let faults) = failure { found = faults.first?.message }
        }
        #expect(found == message)
    }

    @Test("a document of more than 64 KiB is a fault")
    func tooLarge() throws {
        // Each of the two values is small enough by itself.
        let uuids = String(repeating: "\"\(Samples.uuid)\",", count: 1500) + "\"x\""
        let base = #"{"version":1,"filter":{"uuids":[\#(uuids)]}}"#
        var message = ""
        do {
            _ = try Revisions.revision(base, ["report.x=[\(uuids)]"])
        } catch DocumentRevision.Failure.faults(let faults) {
            message = faults.first?.message ?? ""
        }
        #expect(message.hasSuffix("bytes are more than the 65536 that are read"))
    }

    @Test(
        "an unreadable document is replaced only on request", arguments: ["{", "[]", "7", "\u{0}"])
    func unreadable(text: String) throws {
        #expect(throws: DocumentRevision.Failure.self) {
            try Revisions.revision(text, ["advertise.major=1"])
        }
        let revision = try Revisions.revision(
            text, ["advertise.major=1"], highest: 6, mode: .replace)
        #expect(revision.version == 7)
    }

    @Test("a document missing from the broker is replaced only on request")
    func lost() throws {
        #expect(throws: DocumentRevision.Failure.outdated(version: 8, base: nil)) {
            try Revisions.revision(nil, ["advertise.major=42"], highest: 8)
        }
        // Faults come first.
        #expect(throws: DocumentRevision.Failure.self) {
            try Revisions.revision(nil, ["a=1"], highest: 8)
        }
        let revision = try Revisions.revision(
            nil, ["advertise.major=42"], highest: 8, mode: .replace)
        #expect(revision.version == 9)
    }

    @Test(
        "a removal is published if the broker or a gateway has the layer",
        arguments: [
            (nil, nil, nil), (nil, 8, []), (nil, LayerDocument.versions.upperBound, []),
            (#"{"version":3,"report":{"windowMs":2000}}"#, nil, []), ("{", nil, []),
        ] as [(String?, Int64?, [UInt8]?)])
    func removal(base: String?, highest: Int64?, bytes: [UInt8]?) {
        let document = base.map { RetainedDocument(Array($0.utf8)) }
        let known = Revisions.known(document, highest.map { [Reports.message(site: $0)] } ?? [])
        let revision = DocumentRevision(
            removing: LayerName(site: "s"), base: document, isReported: known.isReported)
        #expect(revision.bytes == bytes)
        #expect(revision.version == nil)
        #expect(revision.isShown(as: nil) == (bytes != nil))
        #expect(!revision.isShown(as: RetainedDocument(oversized: 70_000)))
    }

    @Test("a replacement starts with an empty document")
    func replacing() throws {
        let revision = try Revisions.revision(
            #"{"version":3,"report":{"windowMs":2000}}"#, ["advertise.major=1"], mode: .replace)
        #expect(
            revision.bytes.map { String(decoding: $0, as: UTF8.self) }
                == #"{"version":4,"advertise":{"major":1}}"#)
        #expect(revision.difference.changes.count == 2)
    }

    @Test("no version follows the last one")
    func lastVersion() {
        let last = LayerDocument.versions.upperBound
        #expect(throws: DocumentRevision.Failure.noVersionLeft) {
            try Revisions.revision(#"{"version":\#(last)}"#, ["advertise.major=1"])
        }
    }
}
