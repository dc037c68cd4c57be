import Contract
import Foundation
import JSON
import MessageSamples
import Subscriber
import TestSupport
import Testing

@testable import Subcommands

/// The program against a broker, with scripted gateways.
@Suite(
    "sightline tune against a broker", .serialized,
    .enabled(if: Broker.isInstalled, Comment(rawValue: Broker.howToInstall)),
    .enabled(
        if: BuiltProgram.find("sightline") != nil, "the program was not built beside the tests"))
struct TuneProgramTests {
    static let environment = ["LANG": "C.UTF-8", "TERM": "xterm", "PATH": "/usr/bin:/bin"]
    static let entry = "sightline/v1/store-042/entry-1/config/desired"
    static let site = "sightline/v1/store-042/config/desired"

    static func start(_ arguments: [String], on broker: Broker) throws -> ChildProcess {
        try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            ["tune", "--broker", "mqtt://127.0.0.1:\(broker.port)"] + arguments,
            environment: environment)
    }

    /// Its lines, standard error's as well, and its exit status.
    static func run(
        _ arguments: [String], on broker: Broker, within seconds: Double = Deadline.limit
    ) throws -> (lines: [String], status: Int32?) {
        let process = try start(arguments, on: broker)
        let status = process.waitForExit(within: seconds)
        return (process.lines, status)
    }

    static func publish(
        _ payload: String, to topic: String, on broker: Broker, user: [String] = []
    ) throws {
        try Tool.run(
            "mosquitto_pub",
            ["-p", String(broker.port), "-q", "1", "-r", "-t", topic, "-m", payload] + user)
    }

    /// What the broker has retained on a topic; `nil` for nothing.
    static func retained(_ topic: String, on broker: Broker) throws -> String? {
        let process = try ChildProcess(
            "mosquitto_sub", ["-p", String(broker.port), "-t", topic, "-C", "1", "-W", "1"])
        process.waitForExit()
        return process.lines.first { $0.hasPrefix("{") }
    }

    static func gateways(_ pairs: [(String, FakeGateways.Manner)]) -> [GatewayName:
        FakeGateways.Manner]
    {
        Dictionary(
            uniqueKeysWithValues: pairs.map { (GatewayName(site: "store-042", id: $0.0), $0.1) })
    }

    @Test("changes a gateway: difference, report, summary, and no difference afterwards")
    func one() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(Self.gateways([("entry-1", .applies)]), on: broker)
        try withExtendedLifetime(fakes) {
            try Self.publish(
                #"{"version":7,"advertise":{"minor":7,"uuid":"\#(Samples.uuid)"}}"#, to: Self.entry,
                on: broker)
            let arguments = ["--site", "store-042", "--gateway", "entry-1", "advertise.minor=9"]
            let first = try Self.run(arguments, on: broker)
            #expect(
                first.lines == [
                    "\(Self.entry): version 7 → version 8", "- /advertise/minor 7",
                    "+ /advertise/minor 9", "store-042/entry-1 applied", "1 gateway: 1 applied",
                ])
            #expect(first.status == 0)
            #expect(
                try Self.retained(Self.entry, on: broker)
                    == #"{"version":8,"advertise":{"minor":9,"uuid":"\#(Samples.uuid)"}}"#)
            let second = try Self.run(arguments, on: broker)
            #expect(
                second.lines == [
                    "\(Self.entry): no difference; version 8 stays", "store-042/entry-1 applied",
                    "1 gateway: 1 applied",
                ])
            #expect(second.status == 0)
        }
    }

    @Test("each gateway of a site has its own line; other sites are unchanged")
    func mixed() throws {
        let broker = try Broker()
        var manners = Self.gateways([
            ("a", .applies), ("b", .rejects), ("c", .refuses), ("d", .silent), ("e", .offline),
        ])
        manners[GatewayName(site: "other", id: "f")] = .silent
        let fakes = try FakeGateways(manners, on: broker)
        try withExtendedLifetime(fakes) {
            let result = try Self.run(
                ["--site", "store-042", "--timeout", "15", "advertise.major=42"], on: broker)
            #expect(result.status == 1)
            #expect(
                result.lines.first == "\(Self.site): no document → version 1")
            #expect(
                result.lines.dropFirst(2).dropLast().sorted() == [
                    "store-042/a applied",
                    "store-042/b rejected: /advertise/major: not this one",
                    "store-042/c refused: /advertise/major: Command Disallowed (0x0c)",
                    "store-042/d silent: no answer within 15 s; see 'sightline status store-042/d',"
                        + " and on the gateway 'journalctl -u sightline-agent'",
                    "store-042/e offline: it applies this when it returns",
                ])
            #expect(
                result.lines.last
                    == "5 gateways: 1 applied, 1 rejected, 1 refused, 1 offline, 1 silent")
        }
    }

    @Test("--json writes one object per line")
    func json() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(Self.gateways([("a", .applies), ("b", .rejects)]), on: broker)
        try withExtendedLifetime(fakes) {
            let result = try Self.run(
                ["--site", "store-042", "--json", "advertise.major=42"], on: broker)
            #expect(result.status == 1)
            let objects = try result.lines.map { try AssignmentTests.json($0) }
            #expect(objects.map { $0["type"] }.contains(.string("published")))
            #expect(
                result.lines.first
                    == #"{"type":"document","layer":"site","topic":"\#(Self.site)","from":null,"to":1,"publish":true,"changes":[{"path":"/advertise/major","new":42}]}"#
            )
            #expect(objects.last?["applied"] == .integer(1))
            #expect(objects.last?["exit"] == .integer(1))
        }
    }

    @Test("a dry run publishes nothing")
    func dryRun() throws {
        let broker = try Broker()
        let result = try Self.run(
            ["--dry-run", "--create", "advertise.uuid=\(Samples.uuid)"], on: broker)
        #expect(result.status == 0)
        #expect(
            result.lines.sorted() == [
                #"+ /advertise/uuid "\#(Samples.uuid)""#,
                "sightline/v1/config/desired: no document → version 1",
                "sightline: dry run: nothing is published",
            ])
        #expect(try Self.retained("sightline/v1/config/desired", on: broker) == nil)
    }

    @Test("a dry run with --json publishes nothing")
    func dryRunJSON() throws {
        let broker = try Broker()
        let result = try Self.run(
            ["--dry-run", "--create", "--json", "advertise.major=1"], on: broker)
        #expect(result.status == 0)
        let objects = try result.lines.filter { $0.hasPrefix("{") }
            .map { try AssignmentTests.json($0) }
        #expect(objects.map { $0["type"] } == [.string("document"), .string("summary")])
        #expect(objects.allSatisfy { $0["dryRun"] == .bool(true) })
    }

    @Test("faults are reported before any publication")
    func faults() throws {
        let broker = try Broker()
        let result = try Self.run(
            ["--site", "store-042", "--create", "advertise.majr=1", "advertise.minor=-1"],
            on: broker)
        #expect(result.status == 2)
        #expect(
            result.lines == [
                "sightline: \(Self.site): /advertise/minor: minor must be 0…65535, not -1",
                "sightline: \(Self.site): /advertise/majr: unknown key “majr”; did you mean “major”?",
            ])
        #expect(try Self.retained(Self.site, on: broker) == nil)
    }

    @Test("a fault of the arguments is reported without a broker")
    func localFaults() throws {
        let process = try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            [
                "tune", "--broker", "mqtt://127.0.0.1:1", "--site", "store-042", "advertise.majr=1",
                "advertise.old=null",
            ], environment: Self.environment)
        #expect(process.waitForExit() == 2)
        #expect(
            process.lines == [
                "sightline: \(Self.site): /advertise/majr: unknown key “majr”; did you mean “major”?"
            ])
    }

    @Test("a document for a new site is published, and nobody is waited for")
    func nobody() throws {
        let broker = try Broker()
        let result = try Self.run(
            ["--site", "store-042", "--create", "advertise.major=1"], on: broker)
        #expect(result.status == 3)
        #expect(result.lines.contains("sightline: no gateway is known under site store-042"))
        #expect(try Self.retained(Self.site, on: broker) != nil)
    }

    @Test("a document missing from the broker is replaced only with --replace")
    func remembered() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(
            Self.gateways([("entry-1", .applies)]), on: broker,
            remembered: LayerVersions(gateway: 12))
        try withExtendedLifetime(fakes) {
            let arguments = ["--site", "store-042", "--gateway", "entry-1", "advertise.minor=9"]
            let refused = try Self.run(arguments, on: broker)
            #expect(refused.status == 1)
            #expect(
                refused.lines == [
                    "sightline: store-042/entry-1 knows version 12 of \(Self.entry), but the broker has no document: its settings would be lost; use --replace to publish a complete document"
                ])
            #expect(try Self.retained(Self.entry, on: broker) == nil)
            #expect(try Self.run(arguments + ["--replace"], on: broker).status == 0)
            #expect(
                try Self.retained(Self.entry, on: broker)
                    == #"{"version":13,"advertise":{"minor":9}}"#)
        }
    }

    @Test("a removal deletes the document from the broker and the gateways")
    func removal() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(
            Self.gateways([("a", .applies), ("b", .offline)]), on: broker,
            remembered: LayerVersions(site: 7))
        try withExtendedLifetime(fakes) {
            try Self.publish(
                #"{"version":7,"advertise":{"major":7}}"#, to: Self.site, on: broker)
            let result = try Self.run(
                ["--site", "store-042", "--remove", "--timeout", "60"], on: broker)
            #expect(result.status == 1)
            #expect(
                result.lines.prefix(2) == [
                    "\(Self.site): version 7 → no document", "- /advertise/major 7",
                ])
            #expect(
                result.lines.dropFirst(2).sorted() == [
                    "2 gateways: 1 applied, 1 offline", "store-042/a applied",
                    "store-042/b offline: it keeps the layer, because it did not receive the removal",
                ])
            #expect(try Self.retained(Self.site, on: broker) == nil)
        }
    }

    @Test("an unreadable document is reported, and replaced only with --replace")
    func unreadable() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(Self.gateways([("entry-1", .applies)]), on: broker)
        try withExtendedLifetime(fakes) {
            try Self.publish("{\"version\":3,", to: Self.site, on: broker)
            let arguments = ["--site", "store-042", "advertise.major=1"]
            let refused = try Self.run(arguments, on: broker)
            #expect(refused.status == 1)
            #expect(refused.lines.count == 1)
            #expect(
                refused.lines.first?.hasSuffix("--replace starts with an empty document") == true)
            #expect(try Self.run(arguments + ["--replace"], on: broker).status == 0)
        }
    }

    @Test(
        "an unreadable local file is wrong use",
        arguments: [
            ["--username", "u", "--password-file", "nothing"], ["--ca-file", "nothing"],
            ["--cert", "nothing", "--key", "nothing"], ["--ca-file", "/"],
        ])
    func unreadableFiles(options: [String]) throws {
        for command in [["tune", "advertise.major=1"], ["watch"]] {
            let process = try ChildProcess(
                try #require(BuiltProgram.find("sightline")),
                command + ["--broker", "mqtts://127.0.0.1:1"] + options,
                environment: Self.environment)
            #expect(process.waitForExit() == 2)
            #expect(process.lines.count == 1)
            #expect(process.lines.first?.contains("can't be read: ") == true)
        }
    }
}
