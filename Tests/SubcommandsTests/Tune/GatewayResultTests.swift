import Contract
import JSON
import MessageSamples
import Primitives
import Subscriber
import Testing

@testable import Subcommands

@Suite("results of gateways")
struct GatewayResultTests {
    /// A gateway's output line after messages; `isOld` marks them as older than the publication.
    private static func line(
        _ message: ReportedMessage?, _ status: StatusMessage? = nil, isOld: Bool = false,
        expecting expected: [Topics.Layer: Int64?] = [.gateway: 8],
        digests: LayerDigests = LayerDigests(), restarted: Set<Topics.Layer> = []
    ) throws -> (text: String, isFinal: Bool) {
        var roster = Roster(named: [Samples.entry])
        if let message { roster.on(.reported, of: Samples.entry, payload: message.encoded) }
        if let status { roster.on(.status, of: Samples.entry, payload: status.encoded) }
        if isOld { roster.age() }
        let gateway = try #require(roster.gateways[Samples.entry])
        let result = GatewayResult(
            of: gateway, expecting: expected, digests: digests, restarted: restarted)
        let reporter = PlainTuneReporter(root: "r", colours: false, unicode: true)
        let line = reporter.line(Samples.entry, result, isInterrupted: false)
        return (String(line.dropFirst("store-042/entry-1 ".count)), result.isFinal)
    }

    @Test(
        "one layer",
        arguments: [
            (Reports.message(gateway: 8), "applied", true),
            (Reports.message(gateway: 7), "silent", false),
            (Reports.message(), "silent", false),
            (
                Reports.message(gateway: 7, .rejected, [Reports.fault(.gateway, 8)]),
                "rejected: /advertise/major: major is no good", true
            ),
            (
                Reports.message(
                    gateway: 7, .refused,
                    [Reports.fault(.gateway, 8, "", .controllerRefused, "Command Disallowed")]),
                "refused: Command Disallowed", true
            ),
            // A fault in another layer does not matter if our version is in force.
            (
                Reports.message(site: 3, gateway: 8, .rejected, [Reports.fault(.site, 4)]),
                "applied; note: site layer, version 4: /advertise/major: major is no good", true
            ),
            // Another layer prevents ours, which can still come into force.
            (
                Reports.message(site: 3, gateway: 7, .rejected, [Reports.fault(.site, 4)]),
                "rejected: site layer, version 4: /advertise/major: major is no good", false
            ),
            // A fault of an earlier version does not concern ours.
            (
                Reports.message(gateway: 6, .rejected, [Reports.fault(.gateway, 7)]),
                "rejected: gateway layer, version 7: /advertise/major: major is no good", false
            ),
            (
                Reports.message(gateway: 9),
                "overtaken: version 9 of the gateway's document is in force, later than 8; tune again",
                true
            ),
            (
                Reports.message(gateway: 8, isAdvertising: false),
                "applied; an identity is in force, but it is not on the air", true
            ),
            (
                Reports.message(gateway: 8, isPersisted: false),
                "applied; not saved on its disk: lost after a restart", true
            ),
            (
                Reports.message(
                    gateway: 7, .rejected,
                    [Reports.fault(.gateway, 8, "/\u{1b}[2J", .missing, "\n")]),
                "rejected: /?[2J: ?", true
            ),
        ])
    func one(message: ReportedMessage, text: String, isFinal: Bool) throws {
        let line = try Self.line(message)
        #expect(line.text == text)
        #expect(line.isFinal == isFinal)
    }

    @Test(
        "a result needs the answers for both layers",
        arguments: [
            (Reports.message(site: 5, gateway: 8), "applied", true),
            (Reports.message(site: 5, gateway: 7), "silent", false),
            (
                Reports.message(site: 4, gateway: 7, .rejected, [Reports.fault(.gateway, 8)]),
                "rejected: /advertise/major: major is no good", false
            ),
            (
                Reports.message(site: 5, gateway: 7, .rejected, [Reports.fault(.gateway, 8)]),
                "rejected: /advertise/major: major is no good", true
            ),
        ])
    func two(message: ReportedMessage, text: String, isFinal: Bool) throws {
        let line = try Self.line(message, expecting: [.site: 5, .gateway: 8])
        #expect(line.text == text)
        #expect(line.isFinal == isFinal)
    }

    @Test(
        "a version counts only with the expected content",
        arguments: [
            // Version in force, content in force, faults; then the result.
            (8, "ours", false, "applied", true),
            (
                8, "other", false,
                "overtaken: another version 8 of the gateway's document is in force; tune again",
                true
            ),
            (8, "other", true, "rejected: /version: other content", true),
            // Our document is in force, and another client's conflicts with it.
            (
                8, "ours", true,
                "applied; note: gateway layer, version 8: /version: other content", true
            ),
            (7, "other", false, "silent", false),
            (
                8, nil, false,
                "applied; its agent reports no digests: the content is not compared", true
            ),
        ] as [(Int64, String?, Bool, String, Bool)])
    func content(
        version: Int64, inForce: String?, isConflicting: Bool, text: String, isFinal: Bool
    ) throws {
        func digest(_ content: String) -> SHA256Digest { SHA256Digest(of: Array(content.utf8)) }
        let fault = Reports.fault(
            .gateway, 8, "/version", .conflictingVersion, "other content")
        let message = Reports.message(
            gateway: version, isConflicting ? .rejected : .applied, isConflicting ? [fault] : [],
            digests: LayerDigests(gateway: inForce.map(digest)))
        let line = try Self.line(message, digests: LayerDigests(gateway: digest("ours")))
        #expect(line.text == text)
        #expect(line.isFinal == isFinal)
    }

    @Test("an old report with a later version is no answer to a restart of the versions")
    func restarted() throws {
        let old = try Self.line(
            Reports.message(gateway: 90), isOld: true, restarted: [.gateway])
        #expect(old.text == "silent")
        #expect(!old.isFinal)
        let new = try Self.line(Reports.message(gateway: 90), restarted: [.gateway])
        #expect(new.text.hasPrefix("overtaken: version 90"))
    }

    @Test("a removed document must not be in force")
    func none() throws {
        #expect(try Self.line(Reports.message(), expecting: [.gateway: nil]).text == "applied")
        let other = try Self.line(Reports.message(gateway: 1), expecting: [.gateway: nil])
        #expect(other.text.hasPrefix("silent") || other.text.hasPrefix("rejected"))
    }

    @Test("an old report is no reason for a missing version")
    func old() throws {
        let message = Reports.message(
            site: 3, gateway: 7, .rejected, [Reports.fault(.site, 4)])
        #expect(try Self.line(message, isOld: true).text.hasPrefix("silent"))
    }

    @Test("equal reasons of two layers are shown once")
    func once() throws {
        func waits(_ layer: Topics.Layer, _ version: Int64) -> LayerFault {
            Reports.fault(layer, version, "", .controllerRefused, "waits for the radio")
        }
        let message = Reports.message(
            site: 4, gateway: 7, .refused, [waits(.site, 5), waits(.gateway, 8)])
        #expect(try Self.line(message).text == "refused: waits for the radio")
        let both: [Topics.Layer: Int64?] = [.site: 5, .gateway: 8]
        #expect(try Self.line(message, expecting: both).text == "refused: waits for the radio")
        #expect(
            try Self.line(message, expecting: [.fleet: 3]).text
                == "refused: site layer, version 5: waits for the radio")
    }

    @Test(
        "a gateway that stopped advertising gets a remark",
        arguments: [
            ([], ": uuid, major and minor are missing"),
            (["uuid"], ": major and minor are missing"), (["major", "minor"], ": uuid is missing"),
            (["uuid", "major", "minor"], ""),
            (["uuid", "major", "minor", "enabled"], ", though an identity is in force"),
        ] as [([String], String)])
    func offAir(keys: [String], reason: String) throws {
        let advertise = keys.map { JSON.Member($0, $0 == "enabled" ? .bool(true) : .integer(1)) }
        let after = Reports.message(gateway: 8, isAdvertising: false, advertise: advertise)
        var roster = Roster()
        roster.on(.reported, of: Samples.entry, payload: Reports.message(gateway: 7).encoded)
        roster.age()
        roster.on(.reported, of: Samples.entry, payload: after.encoded)
        let gateway = try #require(roster.gateways[Samples.entry])
        let result = GatewayResult(of: gateway, expecting: [.gateway: 8])
        #expect(result.verdict == .applied)
        #expect(result.remarks == ["it no longer advertises" + reason])
        // The remark needs earlier advertising.
        var other = Roster()
        let before = Reports.message(gateway: 7, isAdvertising: false, advertise: [])
        other.on(.reported, of: Samples.entry, payload: before.encoded)
        other.on(.reported, of: Samples.entry, payload: after.encoded)
        let silent = try #require(other.gateways[Samples.entry])
        let remarks = GatewayResult(of: silent, expecting: [.gateway: 8]).remarks
        #expect(!remarks.contains { $0.contains("no longer") })
    }

    @Test("an offline gateway is marked, unless the will is of an older session")
    func offline() throws {
        #expect(try Self.line(nil).text == "silent")
        #expect(try Self.line(nil, Samples.status(.offline)).text == "silent (offline)")
        #expect(try Self.line(nil, Samples.status(.online)).text == "silent")
        let old = Reports.message(gateway: 7, session: "b")
        #expect(try Self.line(old, Samples.status(.offline, session: "a")).text == "silent")
        #expect(
            try Self.line(old, Samples.status(.offline, session: "b")).text == "silent (offline)")
    }

    @Test("an unreadable report is silence with a remark")
    func unreadable() throws {
        var roster = Roster()
        roster.on(.reported, of: Samples.entry, payload: Array("{\u{1b}".utf8))
        let result = GatewayResult(
            of: try #require(roster.gateways[Samples.entry]), expecting: [.gateway: 8])
        #expect(result.verdict == .silent)
        #expect(result.remarks.first?.hasPrefix("its report can't be read: ") == true)
    }

    @Test("a report with 10,000 faults is shortened and keeps the highest version")
    func many() {
        let faults = (1...10_000).map { Reports.fault(.site, Int64($0)) }
        let report = GatewayReport(Reports.message(.rejected, faults))
        #expect(report.faults.count == 32)
        #expect(report.highest.site == 10_000)
    }

    @Test("gateways beyond the limit are dropped")
    func bound() {
        var roster = Roster()
        let payload = Reports.message().encoded
        for number in 0...Roster.mostGateways {
            roster.on(.reported, of: GatewayName(site: "s", id: "\(number)"), payload: payload)
        }
        #expect(roster.gateways.count == Roster.mostGateways)
        #expect(roster.isFull)
    }

    @Test("a gateway without retained messages is unknown")
    func removed() {
        var roster = Roster()
        roster.on(.reported, of: Samples.entry, payload: Reports.message().encoded)
        roster.on(.reported, of: Samples.entry, payload: [])
        #expect(roster.gateways.isEmpty)
    }
}
