import CommandLine
import MessageSamples
import Testing

@testable import Tune

@Suite("sightline tune's arguments")
struct TuneCommandTests {
    private static func command(_ arguments: [String]) throws(UsageError) -> TuneCommand {
        guard case .run(let invocation) = try TuneCommand.command.parse(arguments) else {
            throw UsageError("no invocation")
        }
        return try TuneCommand(invocation)
    }

    @Test(
        "Site and gateway choose the layer",
        arguments: [
            (["a=1"], "sightline/v1/config/desired"),
            (["--site", "s", "a=1"], "sightline/v1/s/config/desired"),
            (["--site=s", "--gateway=g", "--root=r", "a=1"], "r/s/g/config/desired"),
        ])
    func layers(arguments: [String], topic: String) throws {
        let order = try Self.command(arguments).order(nil)
        #expect(order.filters.first == topic)
        #expect(order.timeout == 30_000_000)
    }

    @Test("Options say how")
    func options() throws {
        let order = try Self.command(["--dry-run", "--replace", "--timeout", "5", "a=1", "b=2"])
            .order(nil)
        #expect(order.isDryRun)
        #expect(order.isReplacing)
        #expect(order.timeout == 5_000_000)
        #expect(order.wishes.first?.assignments.count == 2)
    }

    @Test("A removal needs nothing to set")
    func removal() throws {
        let order = try Self.command(["--site", "s", "--remove"]).order(nil)
        #expect(order.isRemoving)
        #expect(order.wishes.map(\.name) == [LayerName(site: "s")])
    }

    @Test(
        "Beside a plan, only what was given is named",
        arguments: [
            (["a=1"], "leave out KEY=VALUE"), (["--site", "s"], "leave out --site"),
            (["--gateway", "g", "a=1"], "leave out --gateway and KEY=VALUE"),
        ])
    func besidePlan(arguments: [String], words: String) {
        do throws(UsageError) {
            _ = try Self.command(["--plan", "f"] + arguments)
            Issue.record("not refused")
        } catch {
            #expect(error.description.hasSuffix(words))
        }
    }

    @Test("A gateway that is named has to answer, known or not")
    func named() throws {
        let order = try Self.command(["--site", "store-042", "--gateway", "entry-1", "a=1"])
            .order(nil)
        #expect(order.named == [Samples.entry])
    }

    @Test(
        "What makes no sense is refused",
        arguments: [
            [], ["a"], ["a=1", "a=2"], ["a=1", "a:=2"], ["--gateway", "g", "a=1"],
            ["--site", "+", "a=1"], ["--timeout", "0", "a=1"], ["--timeout", "1.5", "a=1"],
            ["--plan", "f", "a=1"], ["--plan", "f", "--site", "s"], ["--broker", "h", "a=1"],
            ["version=1"], ["--remove", "a=1"], ["--remove", "--replace"],
            ["--remove", "--plan", "f"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: UsageError.self) { try Self.command(arguments) }
    }
}
