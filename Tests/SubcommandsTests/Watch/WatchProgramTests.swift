import Foundation
import MessageSamples
import TestSupport
import Testing

@testable import Subcommands

/// The program itself against a broker, on a pipe and on a terminal.
@Suite(
    "sightline watch against a broker", .serialized,
    .enabled(if: Broker.isInstalled, Comment(rawValue: Broker.howToInstall)),
    .enabled(
        if: BuiltProgram.find("sightline") != nil, "the program was not built beside the tests"))
struct WatchProgramTests {
    private static let environment = ["LANG": "C.UTF-8", "TERM": "xterm", "PATH": "/usr/bin:/bin"]

    static func publish(
        _ payload: String, to topic: String, on broker: Broker, isRetained: Bool = false
    ) throws {
        try Tool.run(
            "mosquitto_pub",
            [
                "-p", String(broker.port), "-q", "1", "-t",
                "sightline/v1/store-042/entry-1/\(topic)",
                "-m", payload,
            ] + (isRetained ? ["-r"] : []))
    }

    static func batch(_ seq: Int) -> String {
        """
        {"v":1,"site":"store-042","gateway":"entry-1","session":"a","seq":\(seq),\
        "window":{"start":1780000000000,"end":1780000001000},"clock":"synced",\
        "radio":{"reports":412,"beacons":10,"filtered":0,"malformed":0,"implausible":0,"dropped":0},\
        "sightings":[{"type":"ibeacon","uuid":"\(Samples.uuid)","major":42,"minor":7,\
        "measuredPower":-59,"count":10,"rssi":{"min":-71,"max":-58,"mean":-64.2,"stddev":3.11,"last":-66},\
        "power":{"mean":-63.1,"centroid":431},"firstSeen":12,"lastSeen":987,"maxAt":340,"senders":1}]}
        """
    }

    static let online =
        #"{"v":1,"state":"online","session":"a","at":1,"version":"0.1.0","clock":"synced"}"#

    private static func start(_ arguments: [String], on broker: Broker) throws -> ChildProcess {
        let process = try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            ["watch", "--broker", "mqtt://127.0.0.1:\(broker.port)"] + arguments,
            environment: environment)
        #expect(broker.waitForLog("sightline/v1/+/+/sightings"))
        return process
    }

    @Test("the end of a watch keeps the names of the fleet for completions")
    func names() throws {
        let broker = try Broker()
        try Self.publish(Self.online, to: "status", on: broker, isRetained: true)
        let process = try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            ["watch", "--broker", "mqtt://127.0.0.1:\(broker.port)"],
            environment: Self.environment.merging(["XDG_CACHE_HOME": broker.folder.path]) { $1 })
        #expect(process.waitForLine { $0.contains("is online") } != nil)
        process.send(SIGINT)
        #expect(process.waitForExit() == 0)
        let names = try String(
            contentsOfFile: broker.folder.file("sightline/gateways"), encoding: .utf8)
        #expect(names == "store-042/entry-1\n")
    }

    @Test("on a pipe, sightings and changes are lines, and SIGINT ends with 0")
    func lines() throws {
        let broker = try Broker()
        try Self.publish(Self.online, to: "status", on: broker, isRetained: true)
        let process = try Self.start([], on: broker)
        let line = process.waitForLine { $0.contains("is online") }
        #expect(line?.hasSuffix("store-042/entry-1 is online, version 0.1.0") == true)
        try Self.publish(Self.batch(0), to: "sightings", on: broker)
        try Self.publish(Self.batch(2), to: "sightings", on: broker)
        let sighting =
            "2026-05-28T20:26:41.000Z store-042/entry-1 \(Samples.uuid)/42/7 count=10 mean=-64.2 max=-58 senders=1"
        #expect(process.waitForLine { $0 == sighting } != nil)
        #expect(process.waitForLine { $0.contains("missed 1 message") } != nil)
        process.send(SIGINT)
        #expect(process.waitForExit() == 0)
    }

    @Test("--json writes each message with its topic, site and gateway")
    func json() throws {
        let broker = try Broker()
        try Self.publish(Self.online, to: "status", on: broker, isRetained: true)
        let process = try Self.start(["--json"], on: broker)
        #expect(
            process.waitForLine { $0 == Self.line("status", Self.online, isRetained: true) } != nil)
        try Self.publish(Self.batch(0), to: "sightings", on: broker)
        #expect(process.waitForLine { $0 == Self.line("sightings", Self.batch(0)) } != nil)
        try Self.publish(#"{"v":1}"#, to: "health", on: broker)
        #expect(process.waitForLine { $0 == Self.line("health", #"{"v":1}"#) } != nil)
        try Self.publish(#"{"v":1}"#, to: "config/reported", on: broker)
        #expect(process.waitForLine { $0 == Self.line("config/reported", #"{"v":1}"#) } != nil)
        process.send(SIGTERM)
        #expect(process.waitForExit() == 0)
    }

    private static func line(_ topic: String, _ message: String, isRetained: Bool = false) -> String
    {
        #"{"topic":"sightline/v1/store-042/entry-1/\#(topic)","site":"store-042","gateway":"entry-1","#
            + #""retained":\#(isRetained),"message":\#(message)}"#
    }

    @Test(
        "an unknown site or gateway ends with 1 and the nearest names",
        arguments: [
            (
                ["--site", "store-024"],
                "no gateway of site “store-024”; did you mean “store-042”?"
            ),
            (
                ["--site", "store-042", "--gateway", "entry-2"],
                "no gateway “entry-2” in site “store-042”; did you mean “entry-1”?"
            ),
            (["--gateway", "roof"], "no gateway “roof”; it has 1 gateway: entry-1"),
        ])
    func unknownName(arguments: [String], sentence: String) throws {
        let broker = try Broker()
        try Self.publish(Self.online, to: "status", on: broker, isRetained: true)
        let process = try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            ["watch", "--broker", "mqtt://127.0.0.1:\(broker.port)"] + arguments,
            environment: Self.environment)
        #expect(process.waitForExit() == 1)
        #expect(
            process.lines == ["sightline: broker mqtt://127.0.0.1:\(broker.port) has \(sentence)"])
    }

    @Test("a site on a broker without messages is unknown")
    func noSites() throws {
        let broker = try Broker()
        let process = try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            [
                "watch", "--broker", "mqtt://127.0.0.1:\(broker.port)", "--site", "s",
            ], environment: Self.environment)
        #expect(process.waitForExit() == 1)
        #expect(process.lines.first?.hasSuffix("“s”; it has no gateway at all") == true)
    }

    @Test(
        "a broker without gateways at the end of --seconds is a failure",
        arguments: [[], ["--json"]])
    func noGateways(arguments: [String]) throws {
        let broker = try Broker()
        let process = try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            [
                "watch", "--broker", "mqtt://127.0.0.1:\(broker.port)", "--root", "a/b",
                "--seconds", "10",
            ] + arguments,
            environment: Self.environment)
        #expect(process.waitForExit() == 1)
        #expect(process.lines.count == 1)
        #expect(
            process.lines.first?.hasPrefix("sightline: no gateway has published below a/b ") == true
        )
    }

    @Test("on a pipe, a broker without gateways has one sentence, and the watch goes on")
    func waits() throws {
        let broker = try Broker()
        let process = try Self.start([], on: broker)
        #expect(process.waitForLine { $0.contains("no gateway has published below") } != nil)
        try Self.publish(Self.online, to: "status", on: broker, isRetained: true)
        #expect(process.waitForLine { $0.contains("is online") } != nil)
        #expect(process.lines.count == 2)
        process.send(SIGINT)
        #expect(process.waitForExit() == 0)
    }

    @Test("watch reconnects after a broker restart")
    func restart() throws {
        let broker = try Broker()
        let process = try Self.start([], on: broker)
        broker.kill()
        #expect(process.waitForLine { $0.hasSuffix("retrying") } != nil)
        try broker.restart()
        #expect(process.waitForLine { $0.contains("again; messages published") } != nil)
        #expect(process.lines.filter { $0.hasSuffix("retrying") }.count == 1)
        process.send(SIGINT)
        #expect(process.waitForExit() == 0)
    }

    @Test("without a broker at the start, watch fails with one message")
    func noBroker() throws {
        let port = try Ports.free()
        let process = try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            ["watch", "--broker", "mqtt://127.0.0.1:\(port)"],
            environment: Self.environment)
        #expect(process.waitForExit() == 1)
        #expect(process.lines.count == 1)
        #expect(
            process.lines.first?.hasPrefix("sightline: can't reach broker 127.0.0.1:\(port)")
                == true)
    }

    @Test(
        "wrong use exits with 2",
        arguments: [["wacth"], ["watch", "--brokr", "x"], []])
    func wrongUse(arguments: [String]) throws {
        let process = try ChildProcess(try #require(BuiltProgram.find("sightline")), arguments)
        #expect(process.waitForExit() == 2)
        #expect(process.lines.count == 1)
        #expect(process.lines.first?.hasPrefix("sightline: ") == true)
        let command = arguments.first == "watch" ? "sightline watch" : "sightline"
        #expect(process.lines.first?.hasSuffix("ee '\(command) --help'") == true)
        #expect(process.lines.first?.contains("?;") == false)
    }

    @Test("a closed pipe ends watch without a message")
    func brokenPipe() throws {
        let broker = try Broker()
        let command =
            "\(try #require(BuiltProgram.find("sightline"))) watch --json --broker mqtt://127.0.0.1:\(broker.port)"
            + " | head -n 1; echo status ${PIPESTATUS[0]}"
        let process = try ChildProcess("bash", ["-c", command], environment: Self.environment)
        #expect(broker.waitForLog("sightline/v1/+/+/sightings"))
        try Self.publish(Self.batch(0), to: "sightings", on: broker)
        #expect(process.waitForLine { $0 == Self.line("sightings", Self.batch(0)) } != nil)
        // The second may still find somebody who reads.
        for seq in 1...100 where process.lines.count < 2 {
            try Self.publish(Self.batch(seq), to: "sightings", on: broker)
        }
        #expect(process.waitForExit() == 0)
        // 128 and SIGPIPE.
        #expect(process.lines.dropFirst() == ["status 141"])
    }

    @Test("a broker that does not answer causes a notice, and the exit status 1")
    func silentBroker() throws {
        let broker = try FakeBroker { _ in .silence }
        let process = try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            ["watch", "--broker", "mqtt://127.0.0.1:\(broker.port)"],
            environment: Self.environment)
        let line = "sightline: waiting for an answer from 127.0.0.1:\(broker.port)"
        #expect(process.waitForLine { $0 == line } != nil)
        process.send(SIGINT)
        #expect(process.waitForExit() == 1)
        let end =
            "sightline: no connection to mqtt://127.0.0.1:\(broker.port): nothing was shown"
        #expect(process.lines == [line, end])
    }

    @Test(
        "prints help and version",
        arguments: [
            (["--help"], "watch"), (["watch", "--help"], "--broker"), (["--version"], "0.2.0"),
        ])
    func help(arguments: [String], word: String) throws {
        let process = try ChildProcess(try #require(BuiltProgram.find("sightline")), arguments)
        #expect(process.waitForExit() == 0)
        #expect(process.lines.contains { $0.contains(word) })
    }
}
