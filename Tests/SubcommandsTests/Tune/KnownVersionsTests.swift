import Contract
import JSON
import MessageSamples
import Subscriber
import Testing

@testable import Subcommands

@Suite("revisions after what gateways report")
struct KnownVersionsTests {
    @Test(
        "a base older than a reported version is replaced only on request",
        arguments: [["advertise.major=42"], ["report.windowMs=2000"]])
    func outdated(assignments: [String]) throws {
        // The gateway has a privacy filter in force that the broker's restored document lacks.
        let base = #"{"version":3,"advertise":{"major":42}}"#
        #expect(throws: DocumentRevision.Failure.outdated(version: 12, base: 3)) {
            try Revisions.revision(base, assignments, highest: 12)
        }
        // A version that a gateway has rejected is known as well.
        #expect(throws: DocumentRevision.Failure.outdated(version: 4, base: 3)) {
            try Revisions.revision(
                base, assignments,
                reports: [Reports.message(site: 3, .rejected, [Reports.fault(.site, 4)])])
        }
        let replaced = try Revisions.revision(base, assignments, highest: 12, mode: .replace)
        #expect(replaced.version == 13)
    }

    @Test("the sentence names the gateways that know more")
    func names() throws {
        let base = RetainedDocument(Array(#"{"version":3}"#.utf8))
        let reports = [4, 3, 12, 5, 6, 2].map { Reports.message(site: $0) }
        let failure = DocumentRevision.Failure.outdated(version: 12, base: 3)
        #expect(
            failure.sentences(topic: "t", Revisions.known(base, reports)) == [
                "s/g0, s/g2, s/g3 and 1 more know version 12 of t, but the broker has only version 3:"
                    + " its settings would be lost; use --replace to publish a complete document"
            ])
        #expect(
            failure.sentences(topic: "t", Revisions.known(base, [reports[2]])).first?.hasPrefix(
                "s/g0 knows version 12 of t, but") == true)
    }

    @Test("the sentence says that a single gateway that disagrees may be compromised")
    func single() throws {
        let base = RetainedDocument(Array(#"{"version":3}"#.utf8))
        let failure = DocumentRevision.Failure.outdated(version: 12, base: 3)
        func last(_ versions: [Int64]) -> String? {
            let reports = versions.map { Reports.message(site: $0) }
            return failure.sentences(topic: "t", Revisions.known(base, reports)).last
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
            try Revisions.revision(base, ["advertise.major=42"], reports: [other])
        }
        let replaced = try Revisions.revision(
            base, ["advertise.major=42"], reports: [other], mode: .replace)
        #expect(replaced.version == 4)
        // The same content, written in another way.
        let same = try report(#"{ "advertise" : {"major":42.0}, "version":3 }"#)
        #expect(try Revisions.revision(base, ["advertise.major=42"], reports: [same]).bytes == nil)
    }

    @Test("a version far above the broker's is ignored and named")
    func implausible() throws {
        let base = #"{"version":3}"#
        let last = LayerDocument.versions.upperBound
        for version in [1_000_003, last] {
            let reports = [Reports.message(site: 3), Reports.message(site: version)]
            #expect(
                try Revisions.revision(base, ["advertise.major=42"], reports: reports).version == 4)
            let document = RetainedDocument(Array(base.utf8))
            #expect(
                Revisions.known(document, reports).notice(topic: "t", base: document)
                    == "ignored: s/g1 reports version \(version) of t, at least 1,000,000 above the"
                    + " broker (version 3)")
        }
        #expect(throws: DocumentRevision.Failure.outdated(version: 1_000_002, base: 3)) {
            try Revisions.revision(base, ["advertise.major=42"], highest: 1_000_002)
        }
        // Gateways take the version that replaces the highest plausible one.
        let replaced = try Revisions.revision(
            base, ["advertise.major=42"], highest: 1_000_002, mode: .replace)
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
        let revision = try Revisions.revision(
            text, plausible ? ["advertise.major=42"] : [], reports: reports,
            mode: .restart(replacing: plausible))
        #expect(revision.version == next)
        #expect(
            revision.messages.map { String(decoding: $0, as: UTF8.self) }
                == ["", #"{"version":\#(next),"advertise":{"major":42}}"#])
    }

    @Test("a restart does not lose settings that only gateways have")
    func restartWithoutDocument() throws {
        let last = LayerDocument.versions.upperBound
        #expect(throws: DocumentRevision.Failure.outdated(version: last, base: nil)) {
            try Revisions.revision(nil, [], highest: last, mode: .restart(replacing: false))
        }
    }
}
