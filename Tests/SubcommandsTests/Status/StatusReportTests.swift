import CommandLine
import Contract
import Foundation
import JSON
import Primitives
import Subscriber
import Terminal
import TestSupport
import Testing

@testable import Subcommands

/// What the command prints.
@Suite struct StatusReportTests {
    private static let now = Fleet.start + .seconds(240)

    private static func report(
        _ arguments: [String] = [], _ messages: [Fleet.Retained] = Fleet.large
    ) throws -> StatusReport {
        let all = ["--broker", "mqtt://b"] + arguments
        guard case .run(let invocation) = try StatusCommand.command.parse(all) else {
            throw UsageError("no invocation")
        }
        let command = try StatusCommand(invocation)
        var fleet = FleetStatus(root: "sightline/v1", detailed: command.gateway)
        for message in messages { fleet.on(topic: message.topic, payload: message.payload) }
        return StatusReport(fleet, command)
    }

    private static func lines(
        _ report: StatusReport, width: Int? = nil, height: Int? = nil
    ) -> [String] {
        report.lines(width: width, height: height, wall: now).map {
            $0.text(width: width ?? .max, colours: false, unicode: true)
        }
    }

    @Test("at 80 by 24, the failing gateways stand with their reasons, and all are counted")
    func small() throws {
        let lines = Self.lines(try Self.report(), width: 80, height: 24)
        #expect(lines.count < 24 && lines.allSatisfy { $0.count <= 80 })
        #expect(lines[0].hasPrefix("GATEWAY            STATE    SINCE  "))
        #expect(lines[1].hasPrefix("store-0/gate-5     offline     3m  "))
        #expect(lines[1].contains("not connected"))
        #expect(lines[4].hasPrefix("store-4/gate-40    deaf        7m  "))
        #expect(lines[4].contains("no report for 4 min 0 s"))
        #expect(lines[5].hasPrefix("store-14/gate-141  refused      -  "))
        #expect(lines[5].contains("gateway 8: the controller refused"))
        #expect(lines[lines.count - 3].hasSuffix("more gateways (--all shows them)"))
        #expect(lines.last == "200 gateways: 3 offline, 1 deaf, 1 refused, 195 online")
    }

    @Test("at 200 columns, and on a pipe, every column is there")
    func wide() throws {
        for (width, height, count) in [(200, 50, 49), (nil, nil, 203)] as [(Int?, Int?, Int)] {
            let lines = Self.lines(try Self.report(), width: width, height: height)
            #expect(
                lines[0].split(separator: " ") == [
                    "GATEWAY", "STATE", "SINCE", "VERSION", "REP/S", "CLOCK", "BACKLOG", "LAYERS",
                    "BROKER", "WHY",
                ])
            #expect(lines.count == count)
            #expect(
                lines[6].split(separator: " ") == [
                    "store-0/gate-0", "online", "4m", "0.1.0", "412", "synced", "3/3/-",
                    "broker.example:8883",
                ])
        }
    }

    @Test("failing gateways are never cut off by the height")
    func many() throws {
        let names = (0..<40).map { GatewayName(site: "s", id: "g\($0)") }
        let report = try Self.report([], names.flatMap { Fleet.messages($0, .deaf) })
        #expect(Self.lines(report, width: 80, height: 24).count { $0.contains("deaf  ") } == 40)
    }

    @Test("--site, --state and --sort choose and order; the summary counts the whole place")
    func choices() throws {
        let offline = Self.lines(try Self.report(["--state", "offline", "--state", "deaf"]))
        #expect(offline.dropFirst().prefix(4).allSatisfy { $0.hasPrefix("store-") })
        #expect(offline.count == 7)
        let site = Self.lines(try Self.report(["--site", "store-4"]))
        #expect(site.count == 13)
        #expect(site.last == "10 gateways: 1 deaf, 9 online")
        let named = Self.lines(try Self.report(["--site", "store-4", "--sort", "name"]))
        #expect(named[1].hasPrefix("store-4/gate-40 ") && named[2].hasPrefix("store-4/gate-41 "))
        let reports = Self.lines(try Self.report(["--site", "store-0", "--sort", "reports"]))
        #expect(reports[1].hasPrefix("store-0/gate-0 "))
    }

    @Test(
        "--fail-on looks for states at the whole place, also behind more severe ones",
        arguments: [
            (["--site", "store-4", "--fail-on", "offline,deaf"], true),
            (["--site", "store-4", "--state", "online", "--fail-on", "deaf"], true),
            (["--site", "store-4", "--fail-on", "offline"], false),
            (["--fail-on", "offline"], true), (["--fail-on", "backlog", "--json"], false),
            (["store-4/gate-40", "--fail-on", "deaf", "--fail-on", "pending"], true),
            (["store-4/gate-41", "--fail-on", "deaf"], false), ([], false),
        ])
    func failing(arguments: [String], isFailing: Bool) throws {
        #expect(try Self.report(arguments).isFailing == isFailing)
    }

    @Test("--fail-on pending finds an offline gateway with a document that is not in force")
    func failingBehindOffline() throws {
        let name = GatewayName(site: "a", id: "x")
        let will = StatusMessage(
            state: .offline, session: "run-1", at: Fleet.start, version: "0.1.0", clock: .synced)
        let messages =
            Fleet.documents(sites: ["a"]) + Fleet.messages(name, .pending)
            + [(Fleet.topic(name, .status), will.encoded)]
        let report = try Self.report(["--fail-on", "pending"], messages)
        #expect(report.chosen.map(\.condition) == [.offline])
        #expect(report.chosen.map(\.reason) == ["not connected; site 3 not in force"])
        #expect(report.isFailing)
        #expect(try !Self.report(["--fail-on", "online,deaf"], messages).isFailing)
    }

    @Test("--label chooses gateways by a plan, and names those without any message")
    func labels() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "site,gateway,label.floor\na,x,1\na,y,2\nb,z,2\n", to: "stores.csv")
        let messages = ["x", "y"].flatMap { Fleet.messages(GatewayName(site: "a", id: $0)) }
        let choice = ["--labels", file, "--label", "floor=2"]
        let report = try Self.report(choice, messages)
        #expect(report.chosen.map(\.name.description) == ["a/y"])
        #expect(report.missing == "1 gateway with floor=2 has published nothing: b/z")
        #expect(try Self.report(choice + ["--site", "a"], messages).missing == nil)
        #expect(try Self.report([], messages).missing == nil)
        #expect(throws: UsageError.self) { try Self.report(choice + ["a/x"], messages) }
    }

    @Test(
        "--sort certificate begins with the certificate that ends first; the whole view has its end"
    )
    func certificates() throws {
        let names = [GatewayName(site: "a", id: "x"), GatewayName(site: "a", id: "y")]
        let messages = Fleet.messages(names[0]) + Fleet.messages(names[1], .expiring)
        let sorted = Self.lines(try Self.report(["--sort", "certificate"], messages))
        #expect(sorted[1].hasPrefix("a/y ") && sorted[1].hasSuffix("certificate ends in 10 days"))
        #expect(sorted[2].hasPrefix("a/x "))
        let whole = Self.lines(try Self.report(["a/y"], messages))
        #expect(
            whole.contains {
                $0.hasPrefix("  certificate ends 2026-06-08T06:27:40.000Z, in 10 d ")
            })
    }

    @Test(
        "an unknown place is named with its neighbours",
        arguments: [
            (
                ["--site", "store-44"],
                "site store-44 is unknown; did you mean store-14 or store-4 or"
            ),
            (["--site", "x"], "site x is unknown; known: store-0, store-1, store-10 and 17 more"),
            (["stor-4/gate-40"], "site stor-4 is unknown; did you mean store-4 or"),
            (
                ["store-4/gate-4O"],
                "gateway store-4/gate-4O is unknown; did you mean gate-40 or gate-41 or"
            ),
        ])
    func unknown(arguments: [String], sentence: String) throws {
        #expect(try Self.report(arguments).fault?.hasPrefix(sentence) == true)
        #expect(try Self.report().fault == nil)
        #expect(try Self.report(arguments, []).fault?.hasPrefix("no gateway has") == true)
    }

    @Test("one gateway is shown whole")
    func details() throws {
        let lines = Self.lines(try Self.report(["store-4/gate-40"]))
        let reason = "no report for 4 min 0 s; recovery failed 2 times"
        #expect(lines[0] == "store-4/gate-40  deaf  \(reason)")
        for fact in [
            "  time        since 2026-05-28T20:23:40.000Z, 7 min 0 s ago",
            "  agent       version 0.1.0, running for 2 h 0 min, session run-1",
            "  losses      none since its start, 2 h 0 min ago",
            "  broker      broker.example:8883, 0 reconnects, 0 takeovers",
            "  layers      fleet 3, site 3, gateway none; applied",
            "  advertise.major    42     site 3",
        ] {
            #expect(lines.contains(fact), "\(fact)\n\(lines.joined(separator: "\n"))")
        }
    }

    @Test("on a terminal, every fact of a gateway is whole", arguments: [80, 40])
    func narrowDetails(width: Int) throws {
        let report = try Self.report(["store-4/gate-40"])
        func words(_ lines: [String]) -> [Substring] {
            lines.prefix { !$0.isEmpty }.flatMap { $0.split(separator: " ") }
        }
        let lines = Self.lines(report, width: width, height: 24)
        #expect(lines.allSatisfy { $0.count <= width })
        #expect(words(lines) == words(Self.lines(report)))
        #expect(width > 40 || lines[1] == "  no report for 4 min 0 s; recovery")
    }

    @Test("losses are counted since the start, and the last lost message has its time")
    func losses() throws {
        var health = Health(session: "run-1", at: Fleet.start, uptime: .seconds(3600))
        health.messages.lost = 3
        health.messages.lastLossAt = Fleet.start - .seconds(60)
        health.radio.dropped = 1
        let name = GatewayName(site: "store-042", id: "entry-1")
        let messages =
            Fleet.messages(name) + [(Fleet.topic(name, .health), health.encoded)]
        let lines = Self.lines(try Self.report(["store-042/entry-1"], messages))
        #expect(
            lines.contains(
                "  losses      3 messages lost, 1 packet dropped by the kernel since its start, 1 h 0 min ago; the last message 2026-05-28T20:25:40.000Z, 5 min 0 s ago; its log has all times"
            ))
    }

    @Test("--json has an object for each gateway with the members of the schema")
    func json() throws {
        let path = Checkout.root.appending(path: "config/contract/schemas/gateway-status.json")
        let schema = try JSON(parsing: Array(try Data(contentsOf: path)), maxBytes: 1 << 20)
        guard case .object(let properties)? = schema["properties"] else { return }
        let whole = try #require(try Self.report(["store-4/gate-40", "--json"]).json.first)
        guard case .object(let members) = whole else { return }
        #expect(members.map(\.key) == properties.map(\.key))
        let states = GatewayCondition.ofRetained.map { JSON.string($0.rawValue) }
        #expect(schema["properties"]?["state"]?["enum"] == .array(states))
        #expect(whole["state"] == "deaf" && whole["gateway"] == "gate-40")
        let all = try Self.report(["--json"]).json
        #expect(all.count == 200 && all[0]["state"] == "offline" && all[0]["settings"] == nil)
    }

    @Test(
        "wrong arguments are refused",
        arguments: [
            ["store-4"], ["a/b/c"], ["a/b", "--site", "a"], ["--state", "dead"],
            ["--sort", "age"], ["--watch", "--json"], ["--fail-on", "offline,dead"],
            ["--fail-on", "deaf", "--watch"], ["--site", "a b"],
        ])
    func wrong(arguments: [String]) {
        #expect(throws: UsageError.self) { try Self.report(arguments) }
    }
}
