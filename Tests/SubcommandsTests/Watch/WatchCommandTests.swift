import CommandLine
import Subscriber
import TestSupport
import Testing

@testable import Subcommands

@Suite("arguments of sightline watch")
struct WatchCommandTests {
    private static func command(_ arguments: [String]) throws(UsageError) -> WatchCommand {
        guard case .run(let invocation) = try WatchCommand.command.parse(arguments) else {
            throw UsageError("no invocation")
        }
        return try WatchCommand(invocation)
    }

    @Test("the default is all gateways at the local broker")
    func usual() throws {
        let command = try Self.command([])
        #expect(command.connection.broker.description == "mqtt://localhost:1883")
        #expect(
            command.filters == [
                "sightline/v1/+/+/status", "sightline/v1/+/+/sightings",
                "sightline/v1/+/+/health", "sightline/v1/+/+/config/reported",
            ])
    }

    @Test("site and gateway limit the subscriptions; the status of all shows which sites exist")
    func narrowed() throws {
        let command = try Self.command(["--site", "s", "--gateway=g", "--root", "a/b"])
        #expect(
            command.filters == [
                "a/b/+/+/status", "a/b/s/g/sightings", "a/b/s/g/health", "a/b/s/g/config/reported",
            ])
    }

    @Test("labels limit the subscriptions to the gateways that they choose")
    func labels() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "site,gateway,label.floor\ns,g,2\ns,h,1\nt,g,2\n", to: "stores.csv")
        let choice = ["--labels", file, "--label", "floor=2"]
        let command = try Self.command(choice)
        #expect(
            command.filters == [
                "sightline/v1/+/+/status", "sightline/v1/s/g/sightings",
                "sightline/v1/t/g/sightings", "sightline/v1/s/g/health", "sightline/v1/t/g/health",
                "sightline/v1/s/g/config/reported", "sightline/v1/t/g/config/reported",
            ])
        #expect(try Self.command(choice + ["--site", "t"]).filters.count == 4)
        var check = NameCheck(
            site: nil, gateway: nil, selection: command.connection.selection)
        let wanted = ["s/g", "s/h", "t/g", "u/g"].map { text in
            let parts = text.split(separator: "/").map(String.init)
            return check.includes(GatewayName(site: parts[0], id: parts[1]))
        }
        #expect(wanted == [true, false, true, false])
    }

    @Test("--json subscribes to all messages of gateways")
    func json() throws {
        let command = try Self.command(["--json", "--site", "s"])
        #expect(
            command.filters == [
                "sightline/v1/+/+/status", "sightline/v1/s/+/sightings",
                "sightline/v1/s/+/health", "sightline/v1/s/+/config/reported",
            ])
    }

    @Test("a password in a URL is rejected and not shown")
    func password() {
        var sentence = ""
        do throws(UsageError) {
            _ = try Self.command(["--broker", "mqtt://me:secret@h"])
        } catch {
            sentence = error.description
        }
        #expect(sentence.contains("--password-file"))
        #expect(!sentence.contains("secret"))
    }

    @Test(
        "invalid arguments are rejected",
        arguments: [
            ["--site", "a/b"], ["--gateway", "+"], ["--root", "a/#"], ["--seconds", "0"],
            ["--seconds", "1.5"], ["--password-file", "f"], ["--ca-file", "f"],
            ["--broker", "mqtts://h", "--cert", "f"], ["--broker", "mqtts://h", "--key", "f"],
            ["--seconds", "99999999999999999999"], ["x"],
        ])
    func wrongUse(arguments: [String]) {
        #expect(throws: UsageError.self) { try Self.command(arguments) }
    }
}
