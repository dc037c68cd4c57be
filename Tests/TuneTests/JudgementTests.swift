import Contract
import JSON
import MessageSamples
import Subscriber
import Testing

@testable import Tune

@Suite("What a gateway made of it")
struct JudgementTests {
    /// A gateway as messages made it; those before `aging` were there before anything was published.
    private static func line(
        _ message: ReportedMessage?, _ status: StatusMessage? = nil, isOld: Bool = false,
        expecting expected: [Topics.Layer: Int64?] = [.gateway: 8]
    ) throws -> (text: String, isFinal: Bool) {
        var roster = Roster(named: [Samples.entry])
        if let message { roster.on(.reported, of: Samples.entry, payload: message.encoded) }
        if let status { roster.on(.status, of: Samples.entry, payload: status.encoded) }
        if isOld { roster.age() }
        let gateway = try #require(roster.gateways[Samples.entry])
        let judgement = Judgement(of: gateway, expecting: expected)
        let reporter = PlainTuneReporter(root: "r", colours: false, unicode: true)
        let line = reporter.line(Samples.entry, judgement, isInterrupted: false)
        return (String(line.dropFirst("store-042/entry-1 ".count)), judgement.isFinal)
    }

    @Test(
        "One layer",
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
            // Whoever is at fault in another layer, ours is in force.
            (
                Reports.message(site: 3, gateway: 8, .rejected, [Reports.fault(.site, 4)]),
                "applied; note: site layer, version 4: /advertise/major: major is no good", true
            ),
            // Ours is not in force, and another layer is to blame: it may still come.
            (
                Reports.message(site: 3, gateway: 7, .rejected, [Reports.fault(.site, 4)]),
                "rejected: site layer, version 4: /advertise/major: major is no good", false
            ),
            // A fault of an earlier version says nothing of ours.
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
                "applied; not kept on its disk: a restart forgets it", true
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
        "Two layers: neither is judged before the other",
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

    @Test("Where no document should be, none may be in force")
    func none() throws {
        #expect(try Self.line(Reports.message(), expecting: [.gateway: nil]).text == "applied")
        let other = try Self.line(Reports.message(gateway: 1), expecting: [.gateway: nil])
        #expect(other.text.hasPrefix("silent") || other.text.hasPrefix("rejected"))
    }

    @Test("What was reported before says nothing of why ours is not in force")
    func old() throws {
        let message = Reports.message(
            site: 3, gateway: 7, .rejected, [Reports.fault(.site, 4)])
        #expect(try Self.line(message, isOld: true).text.hasPrefix("silent"))
    }

    @Test("A sentence is said once, whoever waits for the same radio")
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
        "Who advertised before and does not any more is told of, and why",
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
        let judgement = Judgement(of: gateway, expecting: [.gateway: 8])
        #expect(judgement.verdict == .applied)
        #expect(judgement.remarks == ["it no longer advertises" + reason])
        // Who did not advertise before has not ceased to.
        var other = Roster()
        let before = Reports.message(gateway: 7, isAdvertising: false, advertise: [])
        other.on(.reported, of: Samples.entry, payload: before.encoded)
        other.on(.reported, of: Samples.entry, payload: after.encoded)
        let silent = try #require(other.gateways[Samples.entry])
        let remarks = Judgement(of: silent, expecting: [.gateway: 8]).remarks
        #expect(!remarks.contains { $0.contains("no longer") })
    }

    @Test("Who is offline is said, unless the will is an old session's")
    func offline() throws {
        #expect(try Self.line(nil).text == "silent")
        #expect(try Self.line(nil, Samples.status(.offline)).text == "silent (offline)")
        #expect(try Self.line(nil, Samples.status(.online)).text == "silent")
        let old = Reports.message(gateway: 7, session: "b")
        #expect(try Self.line(old, Samples.status(.offline, session: "a")).text == "silent")
        #expect(
            try Self.line(old, Samples.status(.offline, session: "b")).text == "silent (offline)")
    }

    @Test("A report that can't be read is silence with a reason")
    func unreadable() throws {
        var roster = Roster()
        roster.on(.reported, of: Samples.entry, payload: Array("{\u{1b}".utf8))
        let judgement = Judgement(
            of: try #require(roster.gateways[Samples.entry]), expecting: [.gateway: 8])
        #expect(judgement.verdict == .silent)
        #expect(judgement.remarks.first?.hasPrefix("its report can't be read: ") == true)
    }

    @Test("A report with ten thousand faults is kept in little, and its highest version known")
    func many() {
        let faults = (1...10_000).map { Reports.fault(.site, Int64($0)) }
        let report = GatewayReport(Reports.message(.rejected, faults))
        #expect(report.faults.count == 32)
        #expect(report.highest.site == 10_000)
    }

    @Test("Gateways beyond the bound are not kept")
    func bound() {
        var roster = Roster()
        let payload = Reports.message().encoded
        for number in 0...Roster.mostGateways {
            roster.on(.reported, of: GatewayName(site: "s", id: "\(number)"), payload: payload)
        }
        #expect(roster.gateways.count == Roster.mostGateways)
        #expect(roster.isFull)
    }

    @Test("Who removes what it retained is not known any more")
    func removed() {
        var roster = Roster()
        roster.on(.reported, of: Samples.entry, payload: Reports.message().encoded)
        roster.on(.reported, of: Samples.entry, payload: [])
        #expect(roster.gateways.isEmpty)
    }
}
