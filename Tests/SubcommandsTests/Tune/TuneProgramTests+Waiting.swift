import Contract
import Foundation
import TestSupport
import Testing

@testable import Subcommands

/// Events between the publication and the last report.
extension TuneProgramTests {
    @Test("another client's publication of the layer is reported")
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
                "sightline: another client published version 2 on \(Self.site); check the document, then run tune again"
            #expect(process.lines.contains(sentence))
            #expect(
                process.lines.suffix(2) == [
                    "store-042/entry-1 overtaken: by version 2 of the site's document",
                    "1 gateway: 0 applied, 1 overtaken",
                ])
        }
    }

    @Test(
        "a restarted broker gets the lost document, and the rollout continues")
    func restart() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(
            Self.gateways([("entry-1", .hesitates), ("till-1", .applies)]), on: broker)
        try withExtendedLifetime(fakes) {
            let process = try Self.start(["--site", "store-042", "advertise.major=1"], on: broker)
            #expect(process.waitForLine { $0 == "store-042/till-1 applied" } != nil)
            broker.kill()
            #expect(process.waitForLine { $0.hasSuffix("retrying") } != nil)
            try broker.restart()
            #expect(
                process.waitForLine {
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

    @Test("a forbidden publication fails with one sentence")
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
                "--create", "advertise.major=1",
            ], on: broker)
        #expect(result.status == 1)
        #expect(
            result.lines.filter { $0.hasPrefix("sightline:") } == [
                "sightline: note: nothing is known of store-042 yet: its gateways take this when they first connect",
                "sightline: the broker refused version 1 of \(Self.site): not authorised (0x87)",
            ])
    }

    @Test("Ctrl-C exits immediately with the present results")
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

    @Test(
        "on a terminal without a plan, it names the awaited gateways after a while",
        .enabled(if: Tool.find("script") != nil, "script (of bsdutils) makes the terminal"),
        .enabled(if: access("/dev/pts/ptmx", F_OK) == 0, "there are no terminals: no /dev/pts"))
    func waiting() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(
            Self.gateways([("a", .applies), ("b", .silent)]), on: broker)
        try withExtendedLifetime(fakes) {
            let command =
                "\(try #require(BuiltProgram.find("sightline"))) tune --site store-042 --timeout 4"
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
        "on a terminal, a plan has a bar, and the sum at the end",
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
                "stty cols 100 rows 30; exec \(try #require(BuiltProgram.find("sightline"))) tune"
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
            #expect(!text.contains(" applied\n"))
            #expect(text.contains("\u{1b}[32m+ /advertise/minor 1\u{1b}[0m"))
            #expect(process.lines.last?.contains("2 gateways: 2 applied") == true)
            #expect(process.waitForExit() == 0)
        }
    }
}
