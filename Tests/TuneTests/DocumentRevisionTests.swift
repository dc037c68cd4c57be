import Contract
import JSON
import MessageSamples
import Subscriber
import Testing

@testable import Tune

@Suite("revisions of a document")
struct DocumentRevisionTests {
    private static func revision(
        _ base: String?, _ assignments: [String], highest: Int64? = nil, isReplacing: Bool = false,
        restartsVersions: Bool = false
    ) throws -> DocumentRevision {
        try revision(
            base, assignments, reports: highest.map { [Reports.message(site: $0)] } ?? [],
            isReplacing: isReplacing, restartsVersions: restartsVersions)
    }

    /// A revision of a site's document, whose gateways g0, g1, … have these reports.
    private static func revision(
        _ base: String?, _ assignments: [String], reports: [ReportedMessage],
        isReplacing: Bool = false, restartsVersions: Bool = false
    ) throws -> DocumentRevision {
        let name = LayerName(site: "s")
        let base = base.map { RetainedDocument(Array($0.utf8)) }
        return try DocumentRevision(
            of: name, base: base, assignments: assignments.map { try Assignment(parsing: $0) },
            known: known(base, reports), isReplacing: isReplacing,
            restartsVersions: restartsVersions)
    }

    private static func known(
        _ base: RetainedDocument?, _ reports: [ReportedMessage]
    ) -> KnownVersions {
        var roster = Roster()
        for (index, report) in reports.enumerated() {
            let gateway = GatewayName(site: "s", id: "g\(index)")
            roster.on(.reported, of: gateway, payload: report.encoded)
        }
        return KnownVersions(of: LayerName(site: "s"), in: roster, base: base)
    }

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
        let revision = try Self.revision(base, ["advertise.major=42"], highest: highest)
        #expect(revision.bytes.map { String(decoding: $0, as: UTF8.self) } == document)
    }

    @Test("without a change the version stays")
    func unchanged() throws {
        let revision = try Self.revision(
            #"{"advertise":{"major":42},"version":3}"#, ["advertise.major=42"], highest: 3)
        #expect(revision.bytes == nil)
        #expect(revision.version == 3)
        #expect(try Self.revision(nil, ["advertise.major=null"]).version == nil)
    }

    @Test(
        "finds faults of the new document, not of the old one",
        arguments: [
            (nil, "advertise.majr=1", "“majr” is no key that is known here; did you mean “major”?"),
            // The removal of an unknown key is a fault.
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
    func faults(base: String?, assignment: String, message: String?) throws {
        var found: String?
        do {
            _ = try Self.revision(base, [assignment])
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
            _ = try Self.revision(base, ["report.x=[\(uuids)]"])
        } catch DocumentRevision.Failure.faults(let faults) {
            message = faults.first?.message ?? ""
        }
        #expect(message.hasSuffix("bytes are more than the 65536 that are read"))
    }

    @Test(
        "an unreadable document is replaced only on request", arguments: ["{", "[]", "7", "\u{0}"])
    func unreadable(text: String) throws {
        #expect(throws: DocumentRevision.Failure.self) {
            try Self.revision(text, ["advertise.major=1"])
        }
        let revision = try Self.revision(text, ["advertise.major=1"], highest: 6, isReplacing: true)
        #expect(revision.version == 7)
    }

    @Test("a document missing from the broker is replaced only on request")
    func lost() throws {
        #expect(throws: DocumentRevision.Failure.outdated(version: 8, base: nil)) {
            try Self.revision(nil, ["advertise.major=42"], highest: 8)
        }
        // Faults come first.
        #expect(throws: DocumentRevision.Failure.self) {
            try Self.revision(nil, ["a=1"], highest: 8)
        }
        let revision = try Self.revision(
            nil, ["advertise.major=42"], highest: 8, isReplacing: true)
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
        let known = Self.known(document, highest.map { [Reports.message(site: $0)] } ?? [])
        let revision = DocumentRevision(
            removing: LayerName(site: "s"), base: document, isReported: known.isReported)
        #expect(revision.bytes == bytes)
        #expect(revision.version == nil)
        #expect(revision.isShown(as: nil) == (bytes != nil))
        #expect(!revision.isShown(as: RetainedDocument(oversized: 70_000)))
    }

    @Test("a replacement starts with an empty document")
    func replacing() throws {
        let revision = try Self.revision(
            #"{"version":3,"report":{"windowMs":2000}}"#, ["advertise.major=1"], isReplacing: true)
        #expect(
            revision.bytes.map { String(decoding: $0, as: UTF8.self) }
                == #"{"version":4,"advertise":{"major":1}}"#)
        #expect(revision.difference.changes.count == 2)
    }

    @Test("no version follows the last one")
    func lastVersion() {
        let last = LayerDocument.versions.upperBound
        #expect(throws: DocumentRevision.Failure.noVersionLeft) {
            try Self.revision(#"{"version":\#(last)}"#, ["advertise.major=1"])
        }
    }

    @Test(
        "a base older than a reported version is replaced only on request",
        arguments: [["advertise.major=42"], ["report.windowMs=2000"]])
    func outdated(assignments: [String]) throws {
        // The gateway has a privacy filter in force that the broker's restored document lacks.
        let base = #"{"version":3,"advertise":{"major":42}}"#
        #expect(throws: DocumentRevision.Failure.outdated(version: 12, base: 3)) {
            try Self.revision(base, assignments, highest: 12)
        }
        // A version that a gateway has rejected is known as well.
        #expect(throws: DocumentRevision.Failure.outdated(version: 4, base: 3)) {
            try Self.revision(
                base, assignments,
                reports: [Reports.message(site: 3, .rejected, [Reports.fault(.site, 4)])])
        }
        let replaced = try Self.revision(base, assignments, highest: 12, isReplacing: true)
        #expect(replaced.version == 13)
    }

    @Test("the sentence names the gateways that know more")
    func names() throws {
        let base = RetainedDocument(Array(#"{"version":3}"#.utf8))
        let reports = [4, 3, 12, 5, 6, 2].map { Reports.message(site: $0) }
        let failure = DocumentRevision.Failure.outdated(version: 12, base: 3)
        #expect(
            failure.sentences(topic: "t", Self.known(base, reports)) == [
                "s/g0, s/g2, s/g3 and 1 more know version 12 of t, but the broker has only version 3:"
                    + " its settings would be lost; use --replace to publish a complete document"
            ])
        #expect(
            failure.sentences(topic: "t", Self.known(base, [reports[2]])).first?.hasPrefix(
                "s/g0 knows version 12 of t, but") == true)
    }

    @Test("the sentence says that a single gateway that disagrees may be compromised")
    func single() throws {
        let base = RetainedDocument(Array(#"{"version":3}"#.utf8))
        let failure = DocumentRevision.Failure.outdated(version: 12, base: 3)
        func last(_ versions: [Int64]) -> String? {
            let reports = versions.map { Reports.message(site: $0) }
            return failure.sentences(topic: "t", Self.known(base, reports)).last
        }
        #expect(
            last([3, 12, 3])
                == "only s/g1 of 3 gateways disagrees with the broker and may be compromised: if it is, run"
                + " 'provision --revoke s/g1', empty its retained config/reported, and run tune again"
        )
        // A broker that was restored from a backup: most gateways know more.
        for versions in [[12], [12, 12, 3]] as [[Int64]] {
            #expect(last(versions)?.contains("compromised") == false)
        }
    }

    @Test("a gateway with other content of the base's version stops the revision")
    func conflicting() throws {
        let base = #"{"version":3,"advertise":{"major":42}}"#
        func report(_ text: String) throws -> ReportedMessage {
            let document = try LayerDocument(parsing: Array(text.utf8))
            return Reports.message(site: 3, digests: LayerDigests(site: document.digest))
        }
        let other = try report(#"{"version":3,"advertise":{"major":41}}"#)
        #expect(throws: DocumentRevision.Failure.conflicting(version: 3)) {
            try Self.revision(base, ["advertise.major=42"], reports: [other])
        }
        let replaced = try Self.revision(
            base, ["advertise.major=42"], reports: [other], isReplacing: true)
        #expect(replaced.version == 4)
        // The same content, written in another way.
        let same = try report(#"{ "advertise" : {"major":42.0}, "version":3 }"#)
        #expect(try Self.revision(base, ["advertise.major=42"], reports: [same]).bytes == nil)
    }

    @Test("a version far above the broker's is ignored and named")
    func implausible() throws {
        let base = #"{"version":3}"#
        let last = LayerDocument.versions.upperBound
        for version in [1_000_003, last] {
            let reports = [Reports.message(site: 3), Reports.message(site: version)]
            #expect(
                try Self.revision(base, ["advertise.major=42"], reports: reports).version == 4)
            let document = RetainedDocument(Array(base.utf8))
            #expect(
                Self.known(document, reports).notice(topic: "t", base: document)
                    == "ignored: s/g1 reports version \(version) of t, at least 1,000,000 above the"
                    + " broker (version 3)")
        }
        #expect(throws: DocumentRevision.Failure.outdated(version: 1_000_002, base: 3)) {
            try Self.revision(base, ["advertise.major=42"], highest: 1_000_002)
        }
        // Gateways take the version that replaces the highest plausible one.
        let replaced = try Self.revision(
            base, ["advertise.major=42"], highest: 1_000_002, isReplacing: true)
        #expect(replaced.version == 1_000_003)
    }

    @Test(
        "a restart goes on after the versions that steps from 0 reach",
        arguments: [
            (3, [], 4), (9_007_199_254_740_991, [9_007_199_254_740_991], 1),
            (9_007_199_254_740_991, [9_007_199_254_740_991, 12], 13),
            (12, [9_007_199_254_740_991], 13), (12, [700_000, 1_400_000], 1_400_001),
        ] as [(Int64, [Int64], Int64)])
    func restart(base: Int64, reported: [Int64], next: Int64) throws {
        let text = #"{"version":\#(base),"advertise":{"major":42}}"#
        let reports = reported.map { Reports.message(site: $0) }
        let plausible = reported.contains { $0 > base && $0 - base < 1_000_000 }
        let revision = try Self.revision(
            text, plausible ? ["advertise.major=42"] : [], reports: reports,
            isReplacing: plausible, restartsVersions: true)
        #expect(revision.version == next)
        #expect(
            revision.messages.map { String(decoding: $0, as: UTF8.self) }
                == ["", #"{"version":\#(next),"advertise":{"major":42}}"#])
    }

    @Test("a restart does not lose settings that only gateways have")
    func restartWithoutDocument() throws {
        let last = LayerDocument.versions.upperBound
        #expect(throws: DocumentRevision.Failure.outdated(version: last, base: nil)) {
            try Self.revision(nil, [], highest: last, restartsVersions: true)
        }
    }
}
