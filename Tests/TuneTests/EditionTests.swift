import Contract
import JSON
import MessageSamples
import Testing

@testable import Tune

@Suite("The next version of a document")
struct EditionTests {
    private static func edition(
        _ base: String?, _ wishes: [String], highest: Int64? = nil, isReplacing: Bool = false
    ) throws -> Edition {
        try Edition(
            of: LayerName(site: "s"), base: base.map { RetainedDocument(Array($0.utf8)) },
            wishes: wishes.map { try Assignment(parsing: $0) }, highest: highest,
            isReplacing: isReplacing)
    }

    @Test(
        "It follows every version that is known",
        arguments: [
            (nil, nil, #"{"version":1,"advertise":{"major":42}}"#),
            (#"{"version":3}"#, nil, #"{"version":4,"advertise":{"major":42}}"#),
            (#"{"version":3}"#, 2, #"{"version":4,"advertise":{"major":42}}"#),
            (#"{"version":3}"#, 12, #"{"version":13,"advertise":{"major":42}}"#),
            // No difference, but gateways would ignore what stands.
            (
                #"{"version":3,"advertise":{"major":42}}"#, 12,
                #"{"version":13,"advertise":{"major":42}}"#
            ),
            (#"{"advertise":{"major":42}}"#, nil, #"{"version":1,"advertise":{"major":42}}"#),
        ] as [(String?, Int64?, String)])
    func versions(base: String?, highest: Int64?, document: String) throws {
        let edition = try Self.edition(base, ["advertise.major=42"], highest: highest)
        #expect(edition.bytes.map { String(decoding: $0, as: UTF8.self) } == document)
    }

    @Test("Without a difference, what stands stands")
    func unchanged() throws {
        let edition = try Self.edition(
            #"{"advertise":{"major":42},"version":3}"#, ["advertise.major=42"], highest: 3)
        #expect(edition.bytes == nil)
        #expect(edition.version == 3)
        #expect(try Self.edition(nil, ["advertise.major=null"]).version == nil)
    }

    @Test(
        "Faults are found, those of a document that is mended not",
        arguments: [
            (nil, "advertise.majr=1", "“majr” is no key that is known here; did you mean “major”?"),
            // Taking away what was never there would make no difference: a slip.
            (
                nil, "advertise.majr=null",
                "“majr” is no key that is known here; did you mean “major”?"
            ),
            (
                nil, "advertise.majr:=null",
                "“majr” is no key that is known here; did you mean “major”?"
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
                "“major” is no key that is known here; did you mean advertise.major?"
            ),
            (
                nil, "windowMs=null",
                "“windowMs” is no key that is known here; did you mean report.windowMs?"
            ),
            (#"{"version":1,"advertise":{"majr":1}}"#, "advertise.majr=null", nil),
            (nil, "advertise.major:=null", nil),
        ] as [(String?, String, String?)])
    func faults(base: String?, wish: String, message: String?) throws {
        var found: String?
        do {
            _ = try Self.edition(base, [wish])
        } catch let flaw as Edition.Flaw {
            if case .faults(let faults) = flaw { found = faults.first?.message }
        }
        #expect(found == message)
    }

    @Test("A document of more than 64 KiB is not made")
    func tooLarge() throws {
        // Each of the two values is small enough by itself.
        let uuids = String(repeating: "\"\(Samples.uuid)\",", count: 1500) + "\"x\""
        let base = #"{"version":1,"filter":{"uuids":[\#(uuids)]}}"#
        var message = ""
        do {
            _ = try Self.edition(base, ["report.x=[\(uuids)]"])
        } catch Edition.Flaw.faults(let faults) {
            message = faults.first?.message ?? ""
        }
        #expect(message.hasSuffix("bytes are more than the 65536 that are read"))
    }

    @Test(
        "What can't be read is not replaced unless asked for", arguments: ["{", "[]", "7", "\u{0}"])
    func unreadable(text: String) throws {
        #expect(throws: Edition.Flaw.self) { try Self.edition(text, ["advertise.major=1"]) }
        let edition = try Self.edition(text, ["advertise.major=1"], highest: 6, isReplacing: true)
        #expect(edition.version == 7)
    }

    @Test("What the broker lost is not lost for good, unless asked for")
    func lost() throws {
        #expect(throws: Edition.Flaw.lost(version: 8)) {
            try Self.edition(nil, ["advertise.major=42"], highest: 8)
        }
        // Slips come first.
        #expect(throws: Edition.Flaw.self) { try Self.edition(nil, ["a=1"], highest: 8) }
        let edition = try Self.edition(
            nil, ["advertise.major=42"], highest: 8, isReplacing: true)
        #expect(edition.version == 9)
    }

    @Test(
        "A removal is published where there is something, or somebody knows of something",
        arguments: [
            (nil, nil, nil), (nil, 8, []), (#"{"version":3,"report":{"windowMs":2000}}"#, nil, []),
            ("{", nil, []),
        ] as [(String?, Int64?, [UInt8]?)])
    func removal(base: String?, highest: Int64?, bytes: [UInt8]?) {
        let document = base.map { RetainedDocument(Array($0.utf8)) }
        let edition = Edition(
            removing: LayerName(site: "s"), base: document, highest: highest)
        #expect(edition.bytes == bytes)
        #expect(edition.version == nil)
        #expect(edition.isShown(as: nil) == (bytes != nil))
        #expect(!edition.isShown(as: RetainedDocument(oversized: 70_000)))
    }

    @Test("Replacing begins with nothing")
    func replacing() throws {
        let edition = try Self.edition(
            #"{"version":3,"report":{"windowMs":2000}}"#, ["advertise.major=1"], isReplacing: true)
        #expect(
            edition.bytes.map { String(decoding: $0, as: UTF8.self) }
                == #"{"version":4,"advertise":{"major":1}}"#)
        #expect(edition.difference.changes.count == 2)
    }

    @Test("Nothing follows the last version")
    func lastVersion() {
        #expect(throws: Edition.Flaw.noVersionLeft) {
            try Self.edition(
                nil, ["advertise.major=1"], highest: LayerDocument.versions.upperBound)
        }
    }
}
