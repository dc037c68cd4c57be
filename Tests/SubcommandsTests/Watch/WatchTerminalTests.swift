import Foundation
import MessageSamples
import TestSupport
import Testing

@testable import Subcommands

/// The program itself on a terminal.
@Suite(
    "sightline watch on a terminal", .serialized,
    .enabled(if: Broker.isInstalled, Comment(rawValue: Broker.howToInstall)),
    .enabled(
        if: TerminalEmulator.isInstalled, Comment(rawValue: TerminalEmulator.howToInstall)),
    .enabled(
        if: BuiltProgram.find("sightline") != nil, "the program was not built beside the tests"))
struct WatchTerminalTests {
    private static func start(
        on broker: Broker, columns: Int = 80, rows: Int = 24, before: String = "",
        environment: [String: String] = [:]
    ) throws -> TerminalEmulator {
        let terminal = try TerminalEmulator(
            before + "exec " + (try #require(BuiltProgram.find("sightline")))
                + " watch --broker mqtt://127.0.0.1:\(broker.port)",
            columns: columns, rows: rows, environment: environment)
        #expect(broker.waitForLog("sightline/v1/+/+/sightings"))
        return terminal
    }

    @Test("q returns the screen as it was", arguments: ["q", "C-c"])
    func end(key: String) throws {
        let broker = try Broker()
        try WatchProgramTests.publish(
            WatchProgramTests.online, to: "status", on: broker, isRetained: true)
        let terminal = try Self.start(on: broker, before: "echo before; ")
        try WatchProgramTests.publish(WatchProgramTests.batch(0), to: "sightings", on: broker)
        #expect(terminal.waitForLine { $0.contains("█") && $0.contains("-64.2") } != nil)
        #expect(!terminal.lines.contains("before"))
        try terminal.type(key)
        #expect(terminal.waitForLine { $0 == "ended with 0" } != nil)
        #expect(terminal.lines.first == "before")
        #expect(!terminal.lines.contains { $0.contains("sightline") })
    }

    @Test("Ctrl-Z returns the screen to the shell, and fg draws it anew")
    func suspend() throws {
        let broker = try Broker()
        let program = try #require(BuiltProgram.find("sightline"))
        let terminal = try TerminalEmulator(
            "exec bash --norc -i", columns: 80, rows: 24, environment: ["PS1": "shell>"])
        #expect(terminal.waitForLine { $0.hasPrefix("shell>") } != nil)
        try terminal.type("\(program) watch --broker mqtt://127.0.0.1:\(broker.port)", "Enter")
        #expect(terminal.waitForLine { $0.hasPrefix("sightline  0 gateways") } != nil)
        try terminal.type("C-z")
        #expect(terminal.waitForLine { $0.contains("Stopped") } != nil)
        #expect(!terminal.lines.contains { $0.hasPrefix("sightline  0 gateways") })
        try terminal.type("fg", "Enter")
        #expect(terminal.waitForLine { $0.hasPrefix("sightline  0 gateways") } != nil)
        try terminal.type("q")
        #expect(
            terminal.wait { lines in
                lines.last { !$0.isEmpty } == "shell>" && lines.contains { $0.contains("Stopped") }
            })
    }

    @Test("a resized terminal is drawn in its new size")
    func resize() throws {
        let broker = try Broker()
        try WatchProgramTests.publish(
            WatchProgramTests.online, to: "status", on: broker, isRetained: true)
        let terminal = try Self.start(on: broker)
        #expect(terminal.waitForLine { $0.contains("store-042/entry-1") } != nil)
        #expect(terminal.lines.allSatisfy { $0.count <= 80 })
        try terminal.resize(columns: 200, rows: 50)
        #expect(
            terminal.wait { lines in
                lines.count == 50 && lines.filter { $0.hasPrefix("sightline") }.count == 1
                    && lines[49].hasPrefix("q quit")
            })
    }

    @Test("on a broker without gateways, the screen says what to check")
    func empty() throws {
        let broker = try Broker()
        let terminal = try Self.start(on: broker)
        #expect(
            terminal.wait { lines in
                lines.contains { $0.hasPrefix("no gateway has published below sightline/v1") }
                    && lines.contains { $0.contains("this user read") }
            })
        try WatchProgramTests.publish(
            WatchProgramTests.online, to: "status", on: broker, isRetained: true)
        #expect(terminal.waitForLine { $0.contains("store-042/entry-1") } != nil)
        #expect(!terminal.lines.contains { $0.contains("no gateway has published") })
    }
}
