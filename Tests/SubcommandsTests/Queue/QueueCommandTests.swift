import CommandLine
import Foundation
import JSON
import Terminal
import TestSupport
import Testing

@testable import Subcommands

@Suite("sightline queue")
struct QueueCommandTests {
    private static let configuration = """
        {"sites":[{"site":"s","queues":[{"queue":"q","entry":["entry"],"till":["till"]}]}]}
        """

    /// A message of an empty window, or with one tag.
    private static func message(
        _ gateway: String, _ second: Int64, site: String = "s", power: Double? = nil
    ) -> String {
        let start = 1_780_002_000_000 + second * 1000
        let sighting = power.map {
            #"{"type":"ibeacon","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":1,"minor":2,"#
                + #""measuredPower":-59,"count":5,"rssi":{"min":-70,"max":-60,"mean":-65,"stddev":1,"#
                + #""last":-65},"power":{"mean":\#($0),"centroid":400},"firstSeen":0,"lastSeen":900,"#
                + #""maxAt":500,"senders":1}"#
        }
        return #"{"v":1,"site":"\#(site)","gateway":"\#(gateway)","session":"a","seq":\#(second),"#
            + #""window":{"start":\#(start),"end":\#(start + 1000)},"clock":"synced","#
            + #""radio":{"reports":0,"beacons":0,"filtered":0,"malformed":0,"implausible":0,"dropped":0},"#
            + #""sightings":[\#(sighting ?? "")]}"#
    }

    private static func run(
        _ files: [String], _ more: [String] = [], configuration: String = configuration
    ) throws -> (output: [String], errors: [String], status: Int32?) {
        let folder = try TemporaryFolder()
        let program = try #require(BuiltProgram.find("sightline"))
        var arguments = ["queue", "--config", try folder.write(configuration, to: "queues.json")]
        for (index, text) in files.enumerated() {
            arguments += ["--input", try folder.write(text, to: "input-\(index)")]
        }
        let child = try ChildProcess(program, arguments + more)
        let status = child.waitForExit()
        return (
            child.lines.filter { $0.hasPrefix("{") }, child.lines.filter { !$0.hasPrefix("{") },
            status
        )
    }

    /// Two minutes of empty windows.
    private static let quiet = (0..<120 as Range<Int64>).flatMap { second in
        [message("entry", second), message("till", second)]
    }

    @Test("an empty line is known to be empty")
    func empty() throws {
        let (output, errors, status) = try Self.run([Self.quiet.joined(separator: "\n")])
        #expect(status == 0)
        #expect(errors.isEmpty)
        #expect(output.count == 3)
        let minute = try JSON(parsing: Array(output[0].utf8), maxBytes: 100_000)
        #expect(minute["kind"] == "minute")
        #expect(minute["state"] == "ok")
        #expect(minute["knownMs"] == 60_000)
        #expect(minute["length"]?["end"] == 0)
        #expect(minute["final"] == true)
        #expect(minute["littleResidualMs"] == 0)
    }

    @Test("who is in line as the input ends has not left: the minute stays provisional")
    func unfinished() throws {
        // A person comes, passes the entry, and stands in the middle until the end.
        let messages = (0..<180 as Range<Int64>).flatMap { second -> [String] in
            let entry: Double = second < 60 ? -90 : second < 66 ? -54 : -64
            let till: Double = second < 60 ? -90 : second < 66 ? -74 : -60
            return [
                Self.message("entry", second, power: entry),
                Self.message("till", second, power: till),
            ]
        }
        let (output, _, status) = try Self.run(
            [messages.joined(separator: "\n")],
            configuration: Self.configuration.replacing(
                #""site":"s","#, with: #""site":"s","learningSeconds":1,"#))
        #expect(status == 0)
        let minutes = try output.map { try JSON(parsing: Array($0.utf8), maxBytes: 100_000) }
            .filter { $0["kind"] == "minute" }
        #expect(minutes.map { $0["final"] } == [true, false, false])
        #expect(minutes.map { $0["length"]?["end"] } == [0, 1, 1])
    }

    @Test("lines of mosquitto_sub -v, in two files and any order, give the same results")
    func forms() throws {
        let expected = try Self.run([Self.quiet.joined(separator: "\n")]).output
        let topics = Self.quiet.reversed().map { line in
            let gateway = line.contains(#""gateway":"entry""#) ? "entry" : "till"
            return "sightline/v1/s/\(gateway)/sightings \(line)"
        }
        let others = [
            #"sightline/v1/s/till/status {"v":1,"state":"online"}"#, "sightline/v1/s/till/trackers",
            "",
        ]
        let files = [
            topics.filter { $0.contains("/entry/") },
            others + topics.filter { $0.contains("/till/") },
        ]
        let (output, errors, status) = try Self.run(files.map { $0.joined(separator: "\n") })
        #expect(status == 0)
        #expect(errors.isEmpty)
        #expect(output.dropLast() == expected.dropLast())
        let summary = try JSON(parsing: Array(try #require(output.last).utf8), maxBytes: 100_000)
        #expect(summary["new"] == 240)
        #expect(summary["other"] == 2)
    }

    @Test("files with byte order marks, also joined to one, give the same results")
    func marks() throws {
        let expected = try Self.run([Self.quiet.joined(separator: "\n")])
        let halves = [Self.quiet.prefix(100), Self.quiet.dropFirst(100)]
        let joined = halves.map { "\u{feff}" + $0.joined(separator: "\r\n") + "\r\n" }.joined()
        let marked = try Self.run([joined], configuration: "\u{feff}" + Self.configuration)
        #expect(marked.errors == [] && marked.status == 0)
        #expect(marked.output == expected.output)
    }

    @Test("recorded lines in UTF-16 are refused with the remedy")
    func wide() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([0xff, 0xfe, 0x7b, 0, 0x7d, 0], to: "wide")
        let child = try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            [
                "queue", "--input", path, "--config",
                try folder.write(Self.configuration, to: "queues.json"),
            ])
        #expect(child.waitForExit() == 1)
        let sentence = "\(path): can't be read: it is UTF-16; save it as UTF-8"
        #expect(child.lines.contains { $0.hasSuffix(sentence) })
    }

    @Test("the topic names the gateway, and the payload's names do not count")
    func topicNames() throws {
        let expected = try Self.run([Self.quiet.joined(separator: "\n")]).output
        let lying = (0..<120 as Range<Int64>).flatMap { second in
            [
                "a/root/s/entry/sightings \(Self.message("till", second, site: "elsewhere"))",
                #"{"topic":"sightline/v1/s/till/sightings","message":\#(Self.message("entry", second))}"#,
                // Neither of them is of a gateway of the queue.
                "sightline/v1/s/other/sightings \(Self.message("till", second, power: -50))",
                "sightline/v1/elsewhere/till/sightings \(Self.message("till", second, power: -50))",
            ]
        }
        let (output, errors, status) = try Self.run([lying.joined(separator: "\n")])
        #expect(status == 0)
        #expect(errors.isEmpty)
        #expect(output.dropLast() == expected.dropLast())
        let summary = try JSON(parsing: Array(try #require(output.last).utf8), maxBytes: 100_000)
        #expect(summary["new"] == 240)
        #expect(summary["foreign"] == 240)
    }

    @Test("of input of which nothing counts, a sentence says why")
    func useless() throws {
        let stranger = Self.message("till", 5, site: "elsewhere")
        let unset = Self.message("till", 5).replacing("synced", with: "unsynced")
        for (lines, words) in [
            ([stranger, stranger], "of 2, such as elsewhere/till"),
            ([unset], "1 is of a clock that was not set"),
            ([stranger, unset], "none of 2 messages"),
        ] {
            let (output, errors, status) = try Self.run([lines.joined(separator: "\n")])
            #expect(status == 0)
            #expect(errors.count == 1 && errors[0].contains(words), "\(errors)")
            #expect(output.count == 1)
        }
    }

    @Test("bad lines are named and counted, and the others count")
    func invalid() throws {
        let lines = [
            "not a message", "{\"v\":1",
            Self.message("till", 5).replacingOccurrences(of: "synced", with: "sunk"),
            Self.message("till", 6).replacingOccurrences(
                of: "\"end\":1780002007000", with: "\"end\":5"),
            Self.message("other", 7), Self.message("till", 8, site: "elsewhere"),
            Self.message("till", 9),
            Self.message("till", 9),
        ]
        let (output, errors, status) = try Self.run([lines.joined(separator: "\n")])
        #expect(status == 0)
        #expect(errors.count == 4)
        for (index, error) in errors.enumerated() {
            #expect(error.contains("input-0:\(index + 1): "), "\(error)")
        }
        let summary = try JSON(parsing: Array(try #require(output.last).utf8), maxBytes: 100_000)
        #expect(summary["invalid"] == 4)
        #expect(summary["foreign"] == 2)
        #expect(summary["new"] == 1)
        #expect(summary["repeated"] == 1)
    }

    @Test(
        "input without a valid message is a failure, an empty one is not",
        arguments: [
            ("nonsense\n{}", 1), ("", 0), ("a/b/status {}\nnonsense", 1), ("a/b/status {}", 0),
        ])
    func nothingValid(text: String, expected: Int32) throws {
        let (output, errors, status) = try Self.run([text])
        #expect(status == expected)
        #expect(output.count == 1)
        #expect(errors.contains { $0.contains("no valid message") } == (expected == 1))
    }

    @Test("faults of the configuration are all shown, with their places")
    func configuration() throws {
        let (output, errors, status) = try Self.run(
            [""],
            configuration: #"{"sites":[{"site":"a b","queues":[{"queue":"q","entry":["e"]}]}]}"#)
        #expect(status == 2)
        #expect(output.isEmpty)
        #expect(errors.contains { $0.contains("/sites/0/site: ") })
        #expect(errors.contains { $0.contains("/sites/0/queues/0/till: ") })
    }

    @Test("the server's file is a configuration too: its sites count, and all its keys are checked")
    func serverFile() throws {
        let sites = try #require(Self.configuration.firstIndex(of: "{"))
        let members = Self.configuration[sites...].dropFirst()
        let input = [Self.quiet.joined(separator: "\n")]
        let (output, errors, status) = try Self.run(
            input, configuration: #"{"mqtt":{"host":"b"},"privacy":"counts","# + members)
        #expect(status == 0 && errors.isEmpty, "\(errors)")
        #expect(output == (try Self.run(input).output))
        let wrong = try Self.run(
            input, configuration: #"{"mqtt":{"host":"b"},"privaci":"counts","# + members)
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains { $0.contains("did you mean “privacy”?") })
        let other = try Self.run(input, configuration: #"{"server":{"id":"x"},"# + members)
        #expect(other.status == 2)
    }

    @Test("while reading, provisional minutes come first")
    func lateness() throws {
        let (output, _, status) = try Self.run(
            [Self.quiet.joined(separator: "\n")], ["--allowed-lateness", "60"])
        #expect(status == 0)
        #expect(try #require(output.first).contains(#""final":false"#))
        #expect(output.filter { $0.contains(#""final":true"#) }.count == 2)
    }

    @Test("no input file ends with an error, after the other files")
    func missing() throws {
        let (output, errors, status) = try Self.run(
            [Self.quiet.joined(separator: "\n")], ["--input", "/nonexistent/file"])
        #expect(status == 1)
        #expect(output.count == 3)
        #expect(errors.contains { $0.contains("/nonexistent/file") })
    }
}
