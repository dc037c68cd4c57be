import Foundation
import JSON
import Subscriber
import TestSupport
import Testing

/// The program itself against a broker.
@Suite(
    "sightline status against a broker", .serialized,
    .enabled(if: Broker.isInstalled, Comment(rawValue: Broker.howToInstall)),
    .enabled(
        if: BuiltProgram.find("sightline") != nil, "the program was not built beside the tests"))
struct StatusProgramTests {
    private static let gateways: [(id: String, failure: Fleet.Failure?)] = [
        ("entry-1", nil), ("till-1", .offline), ("till-2", .deaf),
    ]

    private static func publish(_ message: Fleet.Retained, on broker: Broker) throws {
        let text = String(decoding: message.payload, as: UTF8.self)
        try Tool.run(
            "mosquitto_pub",
            ["-p", String(broker.port), "-q", "1", "-r", "-t", message.topic]
                + (text.isEmpty ? ["-n"] : ["-m", text]))
    }

    private static func fleet(on broker: Broker) throws {
        for message in Fleet.documents(sites: ["store-042"]) { try publish(message, on: broker) }
        for (id, failure) in gateways {
            for message in Fleet.messages(GatewayName(site: "store-042", id: id), failure) {
                try publish(message, on: broker)
            }
        }
    }

    private static func run(
        _ arguments: [String], on broker: Broker
    ) throws -> (status: Int32?, lines: [String]) {
        let process = try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            ["status", "--broker", "mqtt://127.0.0.1:\(broker.port)"] + arguments,
            environment: [
                "LANG": "C.UTF-8", "XDG_CACHE_HOME": broker.folder.file("cache"),
                "PATH": "/usr/bin:/bin",
            ])
        let status = process.waitForExit()
        return (status, process.lines)
    }

    @Test("a closed standard output is called that, and no socket gets its number")
    func closedOutput() throws {
        let broker = try Broker()
        try Self.fleet(on: broker)
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c", #"exec "$0" status --broker "$1" >&-"#,
                try #require(BuiltProgram.find("sightline")), "mqtt://127.0.0.1:\(broker.port)",
            ])
        #expect(process.waitForExit() == 1)
        #expect(process.lines == ["sightline: standard output is closed"])
    }

    @Test("a snapshot has every retained message, and keeps the names for the shell")
    func snapshot() throws {
        let broker = try Broker()
        try Self.fleet(on: broker)
        let table = try Self.run([], on: broker)
        #expect(table.status == 0)
        #expect(
            table.lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
                "GATEWAY STATE", "store-042/till-1 offline", "store-042/till-2 deaf",
                "store-042/entry-1 online", "", "3 gateways:",
            ])
        #expect(try Self.run(["--fail-on", "unsynced,deaf"], on: broker).status == 4)
        #expect(try Self.run(["--fail-on", "backlog"], on: broker).status == 0)
        let json = try Self.run(["--json", "--state", "online"], on: broker)
        #expect(json.lines.count == 1)
        let object = try JSON(parsing: Array(json.lines[0].utf8), maxBytes: 1 << 20)
        #expect(object["gateway"] == "entry-1" && object["inForce"]?["site"] == 3)
        let details = try Self.run(["store-042/entry-1"], on: broker)
        #expect(details.lines.first == "store-042/entry-1  online")
        #expect(details.lines.contains { $0.hasSuffix("42     site 3") })
        let names = try String(
            contentsOfFile: broker.folder.file("cache/sightline/gateways"), encoding: .utf8)
        #expect(names == "store-042/entry-1\nstore-042/till-1\nstore-042/till-2\n")
    }

    @Test("an unknown place, and a broker without gateways, exit with 1 and a sentence")
    func unknown() throws {
        let broker = try Broker()
        let empty = try Self.run([], on: broker)
        #expect(empty.status == 1)
        #expect(
            empty.lines == [
                "sightline: no gateway has published below sightline/v1 on this broker; check --broker, --root, "
                    + "what the broker lets this user read, and whether it delivers retained messages to wildcard "
                    + "subscriptions"
            ])
        try Self.fleet(on: broker)
        for arguments in [["--site", "store-024"], ["store-042/till-3"]] {
            let answer = try Self.run(arguments, on: broker)
            #expect(answer.status == 1 && answer.lines.count == 1)
            #expect(answer.lines.first?.contains("did you mean") == true)
        }
    }

    @Test("at a broker that keeps no retained messages, their absence shows nothing")
    func withoutRetainedMessages() throws {
        // CONNACK, Retain Available 0 (MQTT 5, section 3.2.2.3.5).
        let broker = try FakeBroker { _ in .serve([0x20, 5, 0, 0, 2, 0x25, 0]) { _ in [] } }
        let status = try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            ["status", "--broker", "mqtt://127.0.0.1:\(broker.port)"])
        #expect(status.waitForExit() == 1)
        #expect(
            status.lines == [
                "sightline: broker 127.0.0.1:\(broker.port) keeps no retained messages: gateways appear with their next"
                    + " message: use 'sightline watch'"
            ])
    }

    @Test("a stopped broker exits with 1, and --watch without a terminal with 2")
    func failures() throws {
        let broker = try Broker()
        #expect(try Self.run(["--watch"], on: broker).status == 2)
        broker.kill()
        let answer = try Self.run([], on: broker)
        #expect(answer.status == 1 && answer.lines.count == 1)
    }

    @Test("a gateway whose retained messages were emptied is gone")
    func retired() throws {
        let broker = try Broker()
        try Self.fleet(on: broker)
        for message in Fleet.messages(GatewayName(site: "store-042", id: "till-1")) {
            try Self.publish((message.topic, []), on: broker)
        }
        #expect(try Self.run([], on: broker).lines.last == "2 gateways: 1 deaf, 1 online")
    }
}
