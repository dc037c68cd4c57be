import CommandLine
import JSON
import Queueing
import Terminal
import TestSupport
import Testing

@testable import Subcommands

@Suite("sightline regions with files")
struct RegionsCommandTests {
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    private static let configuration = """
        {"sites":[{"site":"s","queues":[{"queue":"q","entry":["e"],"till":["t"]}],
         "regions":[{"region":"shop","gateways":["shelf"],"kind":"visitor","exitMs":10000}]}]}
        """

    /// A window of a second, with two reports of a beacon or none.
    private static func message(_ second: Int64, isHeard: Bool) -> String {
        let start = 1_780_002_000_000 + second * 1000
        let sighting =
            #"{"type":"ibeacon","uuid":"\#(uuid)","major":1,"minor":2,"#
            + #""measuredPower":-59,"count":2,"rssi":{"min":-80,"max":-80,"mean":-80,"stddev":1,"#
            + #""last":-80},"power":{"mean":-80,"centroid":400},"firstSeen":0,"lastSeen":900,"#
            + #""maxAt":500,"senders":1}"#
        return #"{"v":1,"site":"s","gateway":"shelf","session":"a","seq":\#(second),"#
            + #""window":{"start":\#(start),"end":\#(start + 1000)},"clock":"synced","#
            + #""radio":{"reports":0,"beacons":0,"filtered":0,"malformed":0,"implausible":0,"dropped":0},"#
            + #""sightings":[\#(isHeard ? sighting : "")]}"#
    }

    private static func run(
        _ text: String, _ more: [String] = [], configuration: String = configuration
    ) throws -> (output: [JSON], errors: [String], status: Int32?) {
        let folder = try TemporaryFolder()
        let program = try #require(BuiltProgram.find("sightline"))
        let child = try ChildProcess(
            program,
            [
                "regions", "--config", try folder.write(configuration, to: "sites.json"),
                "--input", try folder.write(text, to: "input"),
            ] + more)
        let status = child.waitForExit()
        return (
            try child.lines.filter { $0.hasPrefix("{") }.map {
                try JSON(parsing: Array($0.utf8), maxBytes: 100_000)
            }, child.lines.filter { !$0.hasPrefix("{") }, status
        )
    }

    private static let visit = (0..<60 as Range<Int64>).map {
        message($0, isHeard: (20..<40).contains($0))
    }

    @Test("the events, the states at the end and a summary are lines, in any order of the input")
    func events() throws {
        let (output, errors, status) = try Self.run(Self.visit.joined(separator: "\n"))
        #expect(status == 0)
        #expect(errors.isEmpty)
        #expect(output.map { $0["kind"] } == ["region-event", "region-event", "region", "summary"])
        #expect(output.compactMap { $0["event"] } == ["enter", "exit"])
        #expect(output[2]["inside"] == 0)
        #expect(output[3]["new"] == 60)
        let reversed = try Self.run(Self.visit.reversed().joined(separator: "\n"))
        #expect(reversed.output == output)
    }

    @Test("with --allowed-lateness, events follow while the input is read")
    func live() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.configuration, to: "sites.json")
        var run = RegionsRun(
            try QueueConfiguration.load(path: path), beacon: nil, allowedLateness: .seconds(60))
        var events: [JSON] = []
        for second in 0..<240 as Range<Int64> {
            let line = Self.message(second, isHeard: (20..<40).contains(second))
            #expect(run.take(Array(line.utf8)[...]) == nil)
            events += run.advance()
        }
        #expect(events.compactMap { $0["event"] } == ["enter", "exit"])
        var rest: [JSON] = []
        run.finish { rest.append($0) }
        #expect(rest.map { $0["kind"] } == ["region", "summary"])
        let whole = try Self.run(Self.visit.joined(separator: "\n"))
        let parts = try Self.run(
            Self.visit.joined(separator: "\n"), ["--allowed-lateness", "20"])
        #expect(parts.output == whole.output)
    }

    @Test("--why shows one beacon, and what the gateways know of it at the end")
    func why() throws {
        let lines = Self.visit[..<45].joined(separator: "\n")
        let one = try Self.run(lines, ["--why", "\(Self.uuid)/1/2"])
        #expect(one.output.map { $0["kind"] } == ["region-event", "region-beacon", "summary"])
        guard case .array(let gateways)? = one.output[1]["gateways"] else {
            throw TestFailure("no gateways")
        }
        // The last report came 0.9 s after second 39 began.
        #expect(gateways.map { $0["silenceMs"] } == [5100])
        #expect(gateways.map { $0["deadlineMs"] } == [10_000])
        let other = try Self.run(lines, ["--why", "\(Self.uuid)/1/3"])
        #expect(other.output.map { $0["kind"] } == ["summary"])
    }

    @Test("wrong use has a sentence, and invalid input ends with 1")
    func faults() throws {
        let queue = #"{"queue":"q","entry":["e"],"till":["t"]}"#
        let none = try Self.run(
            "", configuration: #"{"sites":[{"site":"s","queues":[\#(queue)]}]}"#)
        #expect(none.status == 2)
        #expect(none.errors.count == 1)
        #expect(none.errors.first?.contains("no site has regions") == true)
        let wrong = try Self.run("nonsense")
        #expect(wrong.status == 1)
        #expect(try Self.run("", ["--follow"]).status == 2)
        #expect(try Self.run("", ["--why", "x"]).status == 2)
    }
}
