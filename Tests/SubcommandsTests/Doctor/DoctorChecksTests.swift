import Beacons
import Contract
import MQTT
import Posix
import Primitives
import Testing

@testable import Diagnosis
@testable import Subcommands

@Suite("checks of machine, broker and reports")
struct DoctorChecksTests {
    @Test(
        "the clock is right if the kernel reports it as synchronised",
        arguments: [
            (0 as Int64?, Check.Outcome.ok), (15_999_999, .ok), (16_000_000, .warning),
            (nil, .warning),
        ])
    func clock(error: Int64?, outcome: Check.Outcome) {
        let check = Check.clock(
            error: error.map { .microseconds($0) }, consequence: "days stay open")
        #expect(check.outcome == outcome)
        #expect(check.message.hasSuffix("until then days stay open") == (outcome == .warning))
    }

    @Test(
        "only a permanent refusal of a publication is wrong",
        arguments: [
            (nil as ReasonCode?, Check.Outcome.skipped), (.success, .ok), (.notAuthorised, .wrong),
            (.quotaExceeded, .skipped), (.serverBusy, .skipped), (.qosNotSupported, .skipped),
        ])
    func publish(answer: ReasonCode?, outcome: Check.Outcome) {
        #expect(Check.publish("t", answer).outcome == outcome)
    }

    @Test(
        "the remedy for a refused subscription follows from the broker's reason",
        arguments: [
            (ReasonCode.notAuthorised, "access list"), (.unspecified, "access list"),
            (.quotaExceeded, "limit of subscriptions"),
            (.wildcardSubscriptionsNotSupported, "use a broker that supports them"),
        ])
    func subscribe(answer: ReasonCode, remedy: String) {
        let check = Check.subscribe(
            "t", answer, hasDocument: false, retains: true, isRequired: true)
        #expect(check.outcome == .wrong)
        #expect(check.message.hasSuffix(remedy), "\(check.message)")
    }

    @Test(
        "a session without an agent on this machine is reported",
        arguments: [
            (nil as StatusMessage.State?, false, Check.Outcome.ok), (.offline, false, .ok),
            (.online, false, .warning), (.degraded, false, .warning), (.offline, true, .wrong),
        ])
    func session(state: StatusMessage.State?, hasRival: Bool, outcome: Check.Outcome) throws {
        let topics = try #require(Topics(site: "s", gateway: "g"))
        let status = state.map {
            StatusMessage(state: $0, session: "a", at: 0, version: "1", clock: .synced)
        }
        #expect(Check.session(status, hasRival: hasRival, topics).outcome == outcome)
    }

    @Test(
        "a certificate that expires soon is a warning",
        arguments: [
            (nil as Int?, Check.Outcome.warning), (-1, .wrong), (0, .warning), (29, .warning),
            (30, .ok),
        ])
    func certificate(days: Int?, outcome: Check.Outcome) {
        #expect(Check.tls(fault: nil, daysLeft: days).outcome == outcome)
    }

    private static func folder(
        _ change: (inout StateFolder) -> Void = { _ in }
    ) -> StateFolder {
        var folder = StateFolder(
            path: "/s/a", nearest: "/s/a", space: DiskSpace(free: 100 << 20, isReadOnly: false),
            wanted: 64 << 20)
        change(&folder)
        return folder
    }

    private static let folders: [(StateFolder?, Check.Outcome, String)] = [
        (folder(), .ok, "writable"), (folder { $0.nearest = "/s" }, .ok, "can be created"),
        (nil, .warning, "set stateDirectory"),
        (folder { $0.failure = .permissionDenied }, .wrong, "'chown'"),
        (folder { $0.failure = .readOnlyFileSystem }, .wrong, "read-only"),
        (folder { $0.space = DiskSpace(free: 0, isReadOnly: true) }, .wrong, "read-only"),
        (folder { $0.isFolder = false }, .wrong, "is not a folder"),
        (
            StateFolder("/proc/nope", of: .own, wanted: 0), .wrong,
            "the file system of /proc takes no files: correct stateDirectory"
        ),
    ]

    @Test("a state directory is writable, or the message has the cause", arguments: folders)
    func state(folder: StateFolder?, outcome: Check.Outcome, words: String) {
        let check = Check.state(folder, of: .agent)
        #expect(check.outcome == outcome)
        #expect(check.message.contains(words), "\(check)")
    }

    @Test("a disk needs space for the growth of the outbox")
    func disk() {
        #expect(Check.disk(Self.folder(), of: .agent).outcome == .ok)
        let full = Check.disk(Self.folder { $0.wanted = 200 << 20 }, of: .agent)
        #expect(full.outcome == .warning)
        #expect(full.message.contains("100 MiB are free, and the outbox can need 200"))
    }

    @Test("an unwritable metrics folder is wrong, a missing one is a warning")
    func metrics() {
        let path = "/run/sightline/sightline.prom"
        #expect(Check.metrics(path, failure: nil).outcome == .ok)
        let missing = Check.metrics(path, failure: .noSuchFile)
        #expect(missing.outcome == .warning)
        #expect(missing.message.contains("no folder /run/sightline:"))
        let denied = Check.metrics(path, failure: .permissionDenied)
        #expect(denied.outcome == .wrong)
        #expect(denied.message.contains("can't write in /run/sightline "))
    }

    @Test("only a refusal of the broker is wrong")
    func rights() {
        #expect(Check.publish("t", .success).outcome == .ok)
        #expect(Check.publish("t", .noMatchingSubscribers).outcome == .ok)
        #expect(Check.publish("t", .notAuthorised).outcome == .wrong)
        #expect(Check.publish("t", .qosNotSupported).outcome == .skipped)
        #expect(Check.publish("t", nil).outcome == .skipped)
        let refused = { (isLayer: Bool) in
            Check.subscribe(
                "t", .notAuthorised, hasDocument: false, retains: true, isRequired: isLayer
            ).outcome
        }
        #expect(refused(true) == .wrong)
        // Its own status, which gives a namesake away.
        #expect(refused(false) == .warning)
    }

    /// LE Advertising Report: two reports of one iBeacon, 5000/3918, at −69 and −80 dBm.
    private static let event: [UInt8] = {
        var event: [UInt8] = [0x3e, 0x4f, 0x02, 0x02]
        event += [0x03, 0x00, 0x01, 0x53, 0x00, 0x5e, 0x00, 0x02, 0x1e, 0x02, 0x01, 0x04]
        event += beacon
        event += [0xbb, 0x03, 0x00, 0x02, 0x53, 0x00, 0x5e, 0x00, 0x02, 0x1b]
        event += beacon
        event += [0xb0]
        return event
    }()
    private static let beacon: [UInt8] = [
        0x1a, 0xff, 0x4c, 0x00, 0x02, 0x15, 0x8d, 0xee, 0xfb, 0xb9, 0xf7, 0x38, 0x42, 0x97, 0x80,
        0x40, 0x96, 0x66, 0x8b, 0xb4, 0x42, 0x81, 0x13, 0x88, 0x0f, 0x4e, 0xc1,
    ]

    @Test(
        "reports are counted; no report and a missing reference are wrong"
    )
    func reports() throws {
        var counts = ReportCounts()
        #expect(Check.reports(counts, seconds: 5, references: []).outcome == .wrong)
        let event = Self.event
        event.withBytes { counts.add($0) }
        #expect(counts.reports == 2)
        #expect(counts.beacons == 2)
        let heard = try #require(counts.strongest.keys.first)
        let well = Check.reports(counts, seconds: 5, references: [heard])
        #expect(well.outcome == .ok)
        #expect(well.message.contains("2 reports in 5 seconds, 2 of iBeacons"))
        #expect(well.message.contains("/5000/3918 at -69 dBm"), "\(well)")
        let missing = BeaconIdentity(uuid: heard.uuid, major: 1, minor: 1)
        #expect(Check.reports(counts, seconds: 5, references: [heard, missing]).outcome == .wrong)
    }

    @Test("control characters do not break a line")
    func line() {
        let check = Check("name", .wrong, "a\nb\u{1b}[2J").of("h:1")
        #expect(check.line == "wrong    name          h:1: a?b?[2J")
    }

    @Test("each ability that the broker lacks is a warning with its remedy")
    func abilities() {
        var abilities = BrokerAbilities(version: .v5)
        #expect(Check.abilities(abilities, for: nil).isEmpty)
        abilities.retains = false
        abilities.maximumQuality = .atMostOnce
        abilities.hasWildcards = false
        abilities.sessionExpirySeconds = 5
        let reading = DurableReading(expirySeconds: 60, receiveMaximum: 1)
        let checks = Check.abilities(abilities, for: reading)
        #expect(checks.count == 4)
        #expect(checks.allSatisfy { $0.outcome == .warning })
        #expect(Check.abilities(abilities, for: nil).count == 3)
    }

    @Test("without retained messages, a granted subscription does not call a topic empty")
    func unretained() {
        let check = Check.subscribe(
            "t", .success, hasDocument: false, retains: false, isRequired: true)
        #expect(check.outcome == .ok)
        #expect(!check.message.contains("no message is retained"))
    }
}
