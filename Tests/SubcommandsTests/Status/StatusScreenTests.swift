import CommandLine
import Contract
import Foundation
import Posix
import Primitives
import Subscriber
import Terminal
import TestSupport
import Testing

@testable import Subcommands

/// The table of `sightline status --watch`.
@Suite struct StatusScreenTests {
    private static let size = Terminal.Size(columns: 80, rows: 24)

    private static func report() throws -> StatusReport {
        guard
            case .run(let invocation) = try StatusCommand.command.parse([
                "--broker", "mqtt://b", "--watch",
            ])
        else { throw UsageError("no invocation") }
        var fleet = FleetStatus(root: "sightline/v1")
        for message in Fleet.large { fleet.on(topic: message.topic, payload: message.payload) }
        return StatusReport(fleet, try StatusCommand(invocation))
    }

    private static func lines(
        _ screen: StatusScreen, _ report: StatusReport, _ size: Terminal.Size = size
    ) -> [String] {
        screen.lines(report, size, wall: Fleet.start + .seconds(240)).map {
            $0.text(width: size.columns, colours: false, unicode: true)
        }
    }

    @Test("the worst are first, the screen is full, and the keys are named")
    func first() throws {
        let lines = Self.lines(
            StatusScreen(broker: "mqtt://b", order: .state), try Self.report())
        #expect(lines.count == 24 && lines.allSatisfy { $0.count <= 80 })
        #expect(lines[0] == "1–20 of 200, by state  mqtt://b")
        #expect(lines[2].hasPrefix("> store-0/gate-5 ") && lines[2].contains("offline"))
        #expect(lines[22] == "200 gateways: 3 offline, 1 deaf, 1 refused, 195 online")
        #expect(lines[23].hasPrefix("q quit"))
    }

    @Test("keys scroll, filter, sort and quit")
    func keys() throws {
        let report = try Self.report()
        var screen = StatusScreen(broker: "mqtt://b", order: .state)
        func type(_ keys: [Key]) -> Bool {
            keys.reduce(false) { screen.on($1, report, Self.size) || $0 }
        }
        var isOver = type([.down, .pageDown])
        #expect(!isOver && Self.lines(screen, report)[0].hasPrefix("3–22 of 200"))
        isOver = type([.end])
        #expect(!isOver && Self.lines(screen, report)[0].hasPrefix("181–200 of 200"))
        // q is a letter of the filter.
        isOver = type([.character("/")] + "REFUSEDq".map { .character($0) })
        #expect(!isOver && Self.lines(screen, report)[23].hasPrefix("filter: /REFUSEDq_"))
        #expect(Self.lines(screen, report)[0].hasPrefix("0–0 of 0"))
        isOver = type([.backspace, .enter])
        let filtered = Self.lines(screen, report)
        #expect(filtered[0].hasPrefix("1–1 of 1, by state, filter /REFUSED"))
        #expect(filtered[2].contains("store-14/gate-141"))
        isOver = type([.escape, .character("s")])
        let named = Self.lines(screen, report)
        #expect(named[0].hasPrefix("1–20 of 200, by name") && named[2].contains("store-0/gate-0 "))
        isOver = type([.character("q")])
        #expect(isOver)
    }

    @Test("any size is full and has no wider line", arguments: 1...40)
    func sizes(step: Int) throws {
        let size = Terminal.Size(columns: step * 3, rows: step)
        let lines = Self.lines(
            StatusScreen(broker: "mqtt://b", order: .state), try Self.report(), size)
        #expect(lines.allSatisfy { $0.count <= size.columns })
        #expect(step < 5 || lines.count == step)
    }
}

/// The program itself on a terminal.
@Suite(
    "sightline status --watch on a terminal", .serialized,
    .enabled(if: Broker.isInstalled, Comment(rawValue: Broker.howToInstall)),
    .enabled(
        if: TerminalEmulator.isInstalled, Comment(rawValue: TerminalEmulator.howToInstall)),
    .enabled(
        if: BuiltProgram.find("sightline") != nil, "the program was not built beside the tests"))
struct StatusTerminalTests {
    private static func publish(_ failure: Fleet.Failure?, on broker: Broker) throws {
        let name = GatewayName(site: "store-042", id: "till-1")
        for message in Fleet.messages(name, failure) {
            try Tool.run(
                "mosquitto_pub",
                [
                    "-p", String(broker.port), "-q", "1", "-r", "-t", message.topic, "-m",
                    String(decoding: message.payload, as: UTF8.self),
                ])
        }
    }

    @Test("a change appears, / filters, a resize redraws, q returns the screen")
    func live() throws {
        let broker = try Broker()
        try Self.publish(nil, on: broker)
        let terminal = try TerminalEmulator(
            "echo before; exec \(try #require(BuiltProgram.find("sightline"))) status --watch"
                + " --broker mqtt://127.0.0.1:\(broker.port)", columns: 80, rows: 24)
        #expect(
            terminal.waitForLine { $0.hasPrefix("> store-042/till-1") && $0.contains("online") }
                != nil)
        try Self.publish(.deaf, on: broker)
        #expect(terminal.waitForLine { $0.contains("deaf") && $0.contains("no report") } != nil)
        try terminal.type("/", "x")
        #expect(terminal.waitForLine { $0.hasPrefix("filter: /x_") } != nil)
        try terminal.type("Escape")
        #expect(terminal.waitForLine { $0.hasPrefix("> store-042/till-1") } != nil)
        try terminal.resize(columns: 200, rows: 50)
        #expect(terminal.wait { $0.count == 50 && $0[49].hasPrefix("q quit") })
        try terminal.type("q")
        #expect(terminal.waitForLine { $0 == "ended with 0" } != nil)
        #expect(terminal.lines.first == "before")
    }
}
