import Foundation
import Messages
import TestSupport
import Testing

@testable import Operator

/// The program itself against a broker, with gateways that answer as they are told to.
@Suite(
    "sightline tune against a broker", .serialized,
    .enabled(if: Broker.isInstalled, Comment(rawValue: Broker.howToInstall)),
    .enabled(if: BuiltProgram.path != nil, "the program was not built beside the tests"))
struct TuneProgramTests {
    private static let environment = ["LANG": "C.UTF-8", "TERM": "xterm", "PATH": "/usr/bin:/bin"]
    private static let entry = "sightline/v1/store-042/entry-1/config/desired"
    private static let site = "sightline/v1/store-042/config/desired"

    private static func start(_ arguments: [String], on broker: Broker) throws -> ChildProcess {
        try ChildProcess(
            try #require(BuiltProgram.path),
            ["tune", "--broker", "mqtt://127.0.0.1:\(broker.port)"] + arguments,
            environment: environment)
    }

    /// Its lines, standard error's as well, and its exit status.
    private static func run(
        _ arguments: [String], on broker: Broker, within seconds: Double = 30
    ) throws -> (lines: [String], status: Int32?) {
        let process = try start(arguments, on: broker)
        let status = process.waitForExit(within: seconds)
        return (process.lines, status)
    }

    private static func publish(
        _ payload: String, to topic: String, on broker: Broker, user: [String] = []
    ) throws {
        try Tool.run(
            "mosquitto_pub",
            ["-p", String(broker.port), "-q", "1", "-r", "-t", topic, "-m", payload] + user)
    }

    /// What the broker has retained on a topic; `nil` for nothing.
    private static func retained(_ topic: String, on broker: Broker) throws -> String? {
        let process = try ChildProcess(
            "mosquitto_sub", ["-p", String(broker.port), "-t", topic, "-C", "1", "-W", "1"])
        process.waitForExit()
        return process.lines.first { $0.hasPrefix("{") }
    }

    private static func gateways(_ pairs: [(String, FakeGateways.Manner)]) -> [GatewayName:
        FakeGateways.Manner]
    {
        Dictionary(
            uniqueKeysWithValues: pairs.map { (GatewayName(site: "store-042", id: $0.0), $0.1) })
    }

    @Test("A gateway is retuned: difference, report, summary, and the next time no difference")
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
                    "\(Self.entry): no difference; version 8 stands", "store-042/entry-1 applied",
                    "1 gateway: 1 applied",
                ])
            #expect(second.status == 0)
        }
    }

    @Test("A site's gateways answer differently, each on its line; the others' are left alone")
    func mixed() throws {
        let broker = try Broker()
        var manners = Self.gateways([
            ("a", .applies), ("b", .rejects), ("c", .refuses), ("d", .silent), ("e", .offline),
        ])
        manners[GatewayName(site: "other", id: "f")] = .silent
        let fakes = try FakeGateways(manners, on: broker)
        try withExtendedLifetime(fakes) {
            let result = try Self.run(
                ["--site", "store-042", "--timeout", "2", "advertise.major=42"], on: broker)
            #expect(result.status == 1)
            #expect(
                result.lines.first == "\(Self.site): no document → version 1")
            #expect(
                result.lines.dropFirst(2).dropLast().sorted() == [
                    "store-042/a applied",
                    "store-042/b rejected: /advertise/major: not this one",
                    "store-042/c refused: /advertise/major: Command Disallowed (0x0c)",
                    "store-042/d silent",
                    "store-042/e silent (offline): it takes this when it is back",
                ])
            #expect(
                result.lines.last == "5 gateways: 1 applied, 1 rejected, 1 refused, 2 silent")
        }
    }

    @Test("Programs get an object a line")
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

    @Test("A dry run publishes nothing")
    func dryRun() throws {
        let broker = try Broker()
        let result = try Self.run(["--dry-run", "advertise.uuid=\(Samples.uuid)"], on: broker)
        #expect(result.status == 0)
        #expect(
            result.lines.sorted() == [
                #"+ /advertise/uuid "\#(Samples.uuid)""#,
                "sightline/v1/config/desired: no document → version 1",
                "sightline: nothing is published: this is a dry run",
            ])
        #expect(try Self.retained("sightline/v1/config/desired", on: broker) == nil)
    }

    @Test("A dry run is one for programs as well")
    func dryRunJSON() throws {
        let broker = try Broker()
        let result = try Self.run(["--dry-run", "--json", "advertise.major=1"], on: broker)
        #expect(result.status == 0)
        let objects = try result.lines.filter { $0.hasPrefix("{") }
            .map { try AssignmentTests.json($0) }
        #expect(objects.map { $0["type"] } == [.string("document"), .string("summary")])
        #expect(objects.allSatisfy { $0["dryRun"] == .bool(true) })
    }

    @Test("Faults are found before anything is published")
    func faults() throws {
        let broker = try Broker()
        let result = try Self.run(
            ["--site", "store-042", "advertise.majr=1", "advertise.minor=-1"], on: broker)
        #expect(result.status == 2)
        #expect(
            result.lines == [
                "sightline: \(Self.site): /advertise/minor: minor must be 0…65535, not -1",
                "sightline: \(Self.site): /advertise/majr: “majr” is no key that is known here; did you mean “major”?",
            ])
        #expect(try Self.retained(Self.site, on: broker) == nil)
    }

    @Test("Without any gateway, it says so and fails; what was published stays")
    func nobody() throws {
        let broker = try Broker()
        let result = try Self.run(
            ["--site", "store-042", "--timeout", "1", "advertise.major=1"], on: broker)
        #expect(result.status == 1)
        #expect(result.lines.contains("sightline: no gateway is known under site store-042"))
        #expect(try Self.retained(Self.site, on: broker) != nil)
    }

    @Test("What a broker has lost, and a gateway remembers, is replaced only on demand")
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
                    "sightline: store-042/entry-1 knows version 12 of \(Self.entry), but the broker shows none: what it set would be lost; publish all of it with --replace"
                ])
            #expect(try Self.retained(Self.entry, on: broker) == nil)
            #expect(try Self.run(arguments + ["--replace"], on: broker).status == 0)
            #expect(
                try Self.retained(Self.entry, on: broker)
                    == #"{"version":13,"advertise":{"minor":9}}"#)
        }
    }

    @Test("A removed document is gone from the broker and from the gateways that see it")
    func removal() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(
            Self.gateways([("a", .applies), ("b", .offline)]), on: broker,
            remembered: LayerVersions(site: 7))
        try withExtendedLifetime(fakes) {
            try Self.publish(
                #"{"version":7,"advertise":{"major":7}}"#, to: Self.site, on: broker)
            let result = try Self.run(
                ["--site", "store-042", "--remove", "--timeout", "2"], on: broker)
            #expect(result.status == 1)
            #expect(
                result.lines == [
                    "\(Self.site): version 7 → no document", "- /advertise/major 7",
                    "store-042/a applied",
                    "store-042/b silent (offline): it keeps the layer, for it did not see the removal",
                    "2 gateways: 1 applied, 1 silent",
                ])
            #expect(try Self.retained(Self.site, on: broker) == nil)
        }
    }

    @Test("What can't be read is told, and replaced only on demand")
    func unreadable() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(Self.gateways([("entry-1", .applies)]), on: broker)
        try withExtendedLifetime(fakes) {
            try Self.publish("{\"version\":3,", to: Self.site, on: broker)
            let arguments = ["--site", "store-042", "advertise.major=1"]
            let refused = try Self.run(arguments, on: broker)
            #expect(refused.status == 1)
            #expect(refused.lines.count == 1)
            #expect(refused.lines.first?.hasSuffix("--replace begins with an empty one") == true)
            #expect(try Self.run(arguments + ["--replace"], on: broker).status == 0)
        }
    }

    @Test("Who publishes the same layer meanwhile is told of")
    func concurrentWriter() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(Self.gateways([("entry-1", .silent)]), on: broker)
        try withExtendedLifetime(fakes) {
            let process = try Self.start(["--site", "store-042", "advertise.major=1"], on: broker)
            #expect(process.waitForLine { $0.hasPrefix("+ ") } != nil)
            let witness = try Subscriber(to: Self.site, on: broker)
            #expect(witness.waitForMessage { $0.payload.contains("\"version\":1") } != nil)
            try Self.publish(#"{"version":2}"#, to: Self.site, on: broker)
            #expect(process.waitForExit() == 1)
            let sentence =
                "sightline: somebody else published version 2 on \(Self.site) meanwhile; look at it, and tune again"
            #expect(process.lines.contains(sentence))
            #expect(
                process.lines.suffix(2) == [
                    "store-042/entry-1 overtaken: by version 2 of the site's document",
                    "1 gateway: 0 applied, 1 overtaken",
                ])
        }
    }

    @Test(
        "A broker that is restarted while gateways are awaited gets what it lost, and all goes on")
    func restart() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(
            Self.gateways([("entry-1", .hesitates), ("till-1", .applies)]), on: broker)
        try withExtendedLifetime(fakes) {
            let process = try Self.start(["--site", "store-042", "advertise.major=1"], on: broker)
            #expect(process.waitForLine { $0 == "store-042/till-1 applied" } != nil)
            broker.kill()
            #expect(process.waitForLine { $0.hasSuffix("trying again") } != nil)
            try broker.restart()
            #expect(
                process.waitForLine(within: 25) {
                    $0.hasSuffix(" again") && $0.contains("connected to")
                } != nil)
            // This broker keeps nothing: the document is there again because it was published again.
            let witness = try Subscriber(to: Self.site, on: broker)
            #expect(witness.waitForMessage { $0.payload.contains("\"version\":1") } != nil)
            while process.waitForExit(within: 0.2) == nil {
                try Self.publish("x", to: "sightline/v1/store-042/entry-1/go", on: broker)
            }
            #expect(process.waitForExit() == 0)
            #expect(process.lines.contains("store-042/entry-1 applied"))
            #expect(process.lines.last == "2 gateways: 2 applied")
        }
    }

    @Test("A broker that forbids it says so in one sentence")
    func forbidden() throws {
        var options = Broker.Options()
        options.users = ["reader": "r", "gateway": "g"]
        options.access = ["user reader", "topic read sightline/v1/#"]
        let broker = try Broker(options)
        let password = broker.folder.file("password")
        try "r".write(toFile: password, atomically: true, encoding: .utf8)
        let result = try Self.run(
            [
                "--username", "reader", "--password-file", password, "--site", "store-042",
                "advertise.major=1",
            ], on: broker)
        #expect(result.status == 1)
        #expect(
            result.lines.filter { $0.hasPrefix("sightline:") } == [
                "sightline: note: nothing is known of store-042 yet: its gateways take this when they first connect",
                "sightline: the broker refused version 1 of \(Self.site): not authorised (0x87)",
            ])
    }

    @Test("Ctrl-C ends it at once with what is known")
    func interrupt() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(
            Self.gateways([("a", .applies), ("b", .silent)]), on: broker)
        try withExtendedLifetime(fakes) {
            let process = try Self.start(["--site", "store-042", "advertise.major=1"], on: broker)
            #expect(process.waitForLine { $0 == "store-042/a applied" } != nil)
            process.send(SIGINT)
            #expect(process.waitForExit() == 1)
            #expect(
                process.lines.suffix(2) == [
                    "store-042/b no answer yet",
                    "interrupted; 2 gateways: 1 applied, 1 without an answer yet",
                ])
        }
    }

    @Test("A plan retunes 200 gateways, of which three are away and two refuse")
    func plan() throws {
        let broker = try Broker()
        var manners: [GatewayName: FakeGateways.Manner] = [:]
        var lines = ["site,major,gateway,minor"]
        for number in 0..<200 {
            let name = GatewayName(site: "store-\(number / 10)", id: "gate-\(number)")
            manners[name] =
                [5, 77, 199].contains(number)
                ? .offline : [40, 141].contains(number) ? .refuses : .applies
            lines.append("\(name.site),\(100 + number / 10),\(name.id),\(number)")
        }
        let file = try broker.folder.write(lines.joined(separator: "\n"), to: "plan.csv")
        let fakes = try FakeGateways(manners, on: broker)
        try withExtendedLifetime(fakes) {
            let dry = try Self.run(["--plan", file, "--dry-run"], on: broker)
            #expect(dry.status == 0)
            #expect(dry.lines.filter { $0.hasSuffix("no document → version 1") }.count == 220)
            #expect(try Self.retained("sightline/v1/+/config/desired", on: broker) == nil)
            let result = try Self.run(["--plan", file, "--timeout", "5"], on: broker, within: 60)
            #expect(result.status == 1)
            let answers = result.lines.filter { $0.hasPrefix("store-") }
            #expect(answers.filter { $0.hasSuffix(" applied") }.count == 195)
            #expect(
                answers.filter { $0.contains(" silent (offline)") }.map {
                    $0.split(separator: " ")[0]
                } == [
                    "store-0/gate-5", "store-19/gate-199", "store-7/gate-77",
                ])
            #expect(
                answers.filter { $0.contains(" refused: ") }.map { $0.split(separator: " ")[0] }
                    .sorted() == ["store-14/gate-141", "store-4/gate-40"])
            #expect(result.lines.last == "200 gateways: 195 applied, 2 refused, 3 silent")
            // Only what differs is published the next time.
            let changed = lines.joined(separator: "\n")
                .replacingOccurrences(of: "gate-0,0", with: "gate-0,1000")
            try broker.folder.write(changed, to: "plan.csv")
            let again = try Self.run(["--plan", file, "--timeout", "1"], on: broker, within: 60)
            #expect(
                again.lines.filter { $0.contains(" → ") } == [
                    "sightline/v1/store-0/gate-0/config/desired: version 1 → version 2"
                ])
            #expect(again.status == 1)
        }
    }

    @Test("A plan's faults are told with their lines, before there is any broker")
    func planFaults() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("site,major\na,70000\n", to: "plan.csv")
        for path in [file, folder.file("nothing")] {
            let process = try ChildProcess(
                try #require(BuiltProgram.path),
                ["tune", "--broker", "mqtt://127.0.0.1:1", "--plan", path],
                environment: Self.environment)
            #expect(process.waitForExit() == 2)
            #expect(process.lines.count == 1)
            #expect(process.lines.first?.hasPrefix("sightline: \(path): ") == true)
        }
    }

    @Test("A plan may come from standard input")
    func planFromStandardInput() throws {
        let program = try #require(BuiltProgram.path)
        let command =
            "printf 'site,major\\na,70000\\n' |"
            + " \(program) tune --broker mqtt://127.0.0.1:1 --plan -"
        let process = try ChildProcess("sh", ["-c", command], environment: Self.environment)
        #expect(process.waitForExit() == 2)
        #expect(
            process.lines == [
                "sightline: standard input: line 2: major must be 0…65535, not 70000"
            ])
    }

    @Test(
        "A file of ours that can't be read is wrong use",
        arguments: [
            ["--username", "u", "--password-file", "nothing"], ["--ca-file", "nothing"],
            ["--cert", "nothing", "--key", "nothing"], ["--ca-file", "/"],
        ])
    func unreadableFiles(options: [String]) throws {
        for command in [["tune", "a=1"], ["watch"]] {
            let process = try ChildProcess(
                try #require(BuiltProgram.path),
                command + ["--broker", "mqtts://127.0.0.1:1"] + options,
                environment: Self.environment)
            #expect(process.waitForExit() == 2)
            #expect(process.lines.count == 1)
            #expect(process.lines.first?.contains("can't be read: ") == true)
        }
    }

    @Test(
        "On a terminal without a plan, it says after a while who is waited for",
        .enabled(if: Tool.find("script") != nil, "script (of bsdutils) makes the terminal"),
        .enabled(if: access("/dev/pts/ptmx", F_OK) == 0, "there are no terminals: no /dev/pts"))
    func waiting() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(
            Self.gateways([("a", .applies), ("b", .silent)]), on: broker)
        try withExtendedLifetime(fakes) {
            let command =
                "\(try #require(BuiltProgram.path)) tune --site store-042 --timeout 4"
                + " --broker mqtt://127.0.0.1:\(broker.port) advertise.major=1"
            let process = try ChildProcess(
                "script", ["-qefc", command, "/dev/null"], environment: Self.environment)
            #expect(
                process.waitForLine { $0.contains("waiting for 1 of 2: store-042/b") } != nil)
            #expect(process.waitForExit() == 1)
            #expect(process.lines.filter { $0.contains("waiting for") }.count == 1)
        }
    }

    @Test(
        "On a terminal, a plan has a bar, and plain lines at the end",
        .enabled(if: Tool.find("script") != nil, "script (of bsdutils) makes the terminal"),
        .enabled(if: access("/dev/pts/ptmx", F_OK) == 0, "there are no terminals: no /dev/pts"))
    func terminal() throws {
        let broker = try Broker()
        let file = try broker.folder.write(
            "site,gateway,minor\nstore-042,a,1\nstore-042,b,2\n", to: "plan.csv")
        let fakes = try FakeGateways(
            Self.gateways([("a", .applies), ("b", .hesitates)]), on: broker)
        try withExtendedLifetime(fakes) {
            let command =
                "stty cols 100 rows 30; exec \(try #require(BuiltProgram.path)) tune"
                + " --plan \(file) --broker mqtt://127.0.0.1:\(broker.port); echo"
            let process = try ChildProcess(
                "script", ["-qefc", command, "/dev/null"], environment: Self.environment)
            let witness = try Subscriber(
                to: "sightline/v1/store-042/+/config/reported", on: broker)
            #expect(witness.waitForMessage { $0.payload.contains("\"gateway\":1") } != nil)
            while process.waitForExit(within: 0.2) == nil {
                try Self.publish("x", to: "sightline/v1/store-042/b/go", on: broker)
            }
            let text = process.lines.joined(separator: "\n")
            #expect(text.contains("] 0 of 2 gateways") || text.contains("] 1 of 2 gateways"))
            #expect(text.contains("\u{1b}[32mapplied\u{1b}[0m"))
            #expect(process.lines.last?.contains("2 gateways: 2 applied") == true)
            #expect(process.waitForExit() == 0)
        }
    }

    @Test("A fleet of more gateways than a broker queues messages is known whole")
    func largeFleet() throws {
        let broker = try Broker()
        var manners: [GatewayName: FakeGateways.Manner] = [:]
        for number in 0..<1500 {
            manners[GatewayName(site: "store-\(number / 10)", id: "gate-\(number)")] = .silent
        }
        let fakes = try FakeGateways(manners, on: broker)
        try withExtendedLifetime(fakes) {
            let result = try Self.run(["--timeout", "1", "report.windowMs=2000"], on: broker)
            #expect(result.lines.last == "1,500 gateways: 0 applied, 1,500 silent")
        }
    }
}
