import CommandLine
import MessageSamples
import Subscriber
import TestSupport
import Testing

@testable import Subcommands

@Suite("sightline tune's arguments")
struct TuneCommandTests {
    private static func command(_ arguments: [String]) throws(UsageError) -> TuneCommand {
        guard case .run(let invocation) = try TuneCommand.command.parse(arguments) else {
            throw UsageError("no invocation")
        }
        return try TuneCommand(invocation)
    }

    @Test(
        "site and gateway select the layer",
        arguments: [
            (["a=1"], "sightline/v1/config/desired"),
            (["--site", "s", "a=1"], "sightline/v1/s/config/desired"),
            (["--site=s", "--gateway=g", "--root=r", "a=1"], "r/s/g/config/desired"),
        ])
    func layers(arguments: [String], topic: String) throws {
        let request = try Self.command(arguments).request(nil)
        #expect(request.filters.first == topic)
        #expect(request.timeout == .seconds(30))
    }

    @Test("options set the request")
    func options() throws {
        let request = try Self.command(["--dry-run", "--replace", "--timeout", "5", "a=1", "b=2"])
            .request(nil)
        #expect(request.isDryRun)
        #expect(request.mode == .replace)
        #expect(request.timeout == .seconds(5))
        #expect(request.edits.first?.assignments.count == 2)
    }

    @Test("labels choose the documents of gateways, or the rows of a plan")
    func labels() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "site,major,gateway,minor,label.floor\ns,4,g,1,1\ns,,h,2,2\nt,5,g,1,2\n",
            to: "stores.csv")
        let request = try Self.command(["--labels", file, "--label", "floor=2", "a=1"]).request(nil)
        #expect(request.edits.map { "\($0.name)" } == ["gateway s/h", "gateway t/g"])
        #expect(request.named.map(\.description) == ["s/h", "t/g"])
        #expect(request.edits.allSatisfy { $0.assignments.count == 1 })
        var plan = try Plan(path: file)
        let selection = try Self.command(["--plan", file, "--label", "floor=2"]).connection
            .selection
        plan.restrict(to: try #require(selection))
        // Of site s, another gateway would get the major number as well.
        #expect(
            plan.edits.map { "\($0.name)" } == ["site t", "gateway s/h", "gateway t/g"])
        for place in [["--site", "s"], ["--history"]] {
            #expect(throws: UsageError.self) {
                try Self.command(
                    ["--labels", file, "--label", "floor=2"] + place
                        + (place.count > 1 ? ["a=1"] : []))
            }
        }
    }

    @Test("a removal needs no assignment")
    func removal() throws {
        let request = try Self.command(["--site", "s", "--remove"]).request(nil)
        #expect(request.mode == .remove)
        #expect(request.edits.map(\.name) == [LayerName(site: "s")])
    }

    @Test("a restart of the versions needs no assignment, but takes some")
    func restart() throws {
        for arguments in [[], ["--replace", "a=1"]] {
            let request = try Self.command(["--reset-versions"] + arguments).request(nil)
            #expect(request.mode == .restart(replacing: !arguments.isEmpty))
        }
    }

    @Test(
        "the conflict with a plan shows the given arguments",
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

    @Test("the given gateway must answer")
    func named() throws {
        let request = try Self.command(["--site", "store-042", "--gateway", "entry-1", "a=1"])
            .request(nil)
        #expect(request.named == [Samples.entry])
    }

    @Test(
        "invalid arguments are refused",
        arguments: [
            [], ["a"], ["a=1", "a=2"], ["a=1", "a:=2"], ["--gateway", "g", "a=1"],
            ["--site", "+", "a=1"], ["--timeout", "0", "a=1"], ["--timeout", "1.5", "a=1"],
            ["--plan", "f", "a=1"], ["--plan", "f", "--site", "s"], ["--broker", "h", "a=1"],
            ["version=1"], ["--remove", "a=1"], ["--remove", "--replace"],
            ["--remove", "--plan", "f"], ["--reset-versions", "--remove"],
            ["--reset-versions", "--plan", "f"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: UsageError.self) { try Self.command(arguments) }
    }

    @Test(
        "--history takes a place as an operand or as options",
        arguments: [
            ([], LayerName()), (["s"], LayerName(site: "s")),
            (["s/g"], LayerName(site: "s", gateway: "g")), (["--site", "s"], LayerName(site: "s")),
            (["--site=s", "--gateway=g"], LayerName(site: "s", gateway: "g")),
        ])
    func history(arguments: [String], place: LayerName) throws {
        let command = try Self.command(["--history"] + arguments)
        #expect(command.showsHistory)
        #expect(command.name == place)
    }

    @Test(
        "--history refuses other places and changes",
        arguments: [
            (["a", "b"], "not “a b”"), (["s/g/x"], "not “s/g/x”"), (["a=1"], "not “a=1”"),
            (["--site", "s", "t"], "not “t” beside --site"),
            (["--dry-run"], "leave out --dry-run"), (["--plan", "x"], "leave out --plan"),
        ])
    func wrongHistory(arguments: [String], words: String) {
        do throws(UsageError) {
            _ = try Self.command(["--history"] + arguments)
            Issue.record("no error for \(arguments)")
        } catch {
            #expect(error.description.contains(words), "\(error)")
        }
    }
}
