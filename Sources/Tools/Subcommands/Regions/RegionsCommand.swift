import Beacons
import CommandLine
import Configuration
import Contract
import JSON
import Posix
import Primitives
import Queueing
import Regions
import Results
import Terminal

/// `sightline regions`: which beacons are near which gateways, by servers or from messages in files.
package struct RegionsCommand: ResultCommand {
    package static let command = Command(
        name: "sightline regions",
        summary: "shows the regions of servers, or finds who was in them from messages in files",
        options: BrokerOptions.place + [
            resultsRoot,
            Option("follow", help: "write each event until a signal"),
            Option(
                "why", value: "BEACON",
                help: "only this beacon, with the evidence of its events: UUID/MAJOR/MINOR, or the "
                    + "tag of a person's"),
            Option("json", help: "write JSON, one object a line"),
            input,
            Option(
                "config", value: "FILE",
                help: "the sites and their regions, or the file of sightline-server; required with "
                    + "--input"),
            AllowedLateness.option,
        ] + BrokerOptions.credentials, manual: manual)

    private let inputs: [String]
    private let configurationPath: String
    private let allowedLateness: Duration?
    private let beacon: BeaconIdentity?
    private let live: (broker: BrokerOptions, results: LiveResults)?

    package init(_ invocation: Invocation) throws(UsageError) {
        inputs = invocation.all("input")
        configurationPath = invocation["config"] ?? ""
        allowedLateness = try AllowedLateness.time(invocation, inputs)
        beacon = invocation["why"].flatMap { BeaconIdentity($0) }
        guard inputs.isEmpty else {
            guard invocation.has("config") else {
                throw UsageError("--config FILE is required with --input")
            }
            guard beacon != nil || !invocation.has("why") else {
                throw UsageError("--why needs UUID/MAJOR/MINOR with --input")
            }
            if invocation.has("follow") {
                throw UsageError("--follow is for a broker; --input - reads until its end")
            }
            live = nil
            return
        }
        if invocation.has("config") { throw UsageError("--config needs --input FILE") }
        let topics = try Self.topics(invocation)
        let why = try Self.subject(invocation["why"])
        live = (
            try BrokerOptions(invocation),
            LiveResults(
                .init(
                    topics: topics, follows: invocation.has("follow") || why != nil,
                    json: invocation.has("json")), LiveRegions.content(subject: why))
        )
    }

    /// The beacon as events have it, or the tag.
    private static func subject(_ text: String?) throws(UsageError) -> String? {
        guard let text else { return nil }
        if let identity = BeaconIdentity(text) { return "\(identity)" }
        let isTag = text.utf8.count == 16 && text.allSatisfy(\.isHexDigit)
        guard isTag else {
            throw UsageError(
                "--why must be UUID/MAJOR/MINOR, or the 16 digits of a tag, not "
                    + "“\(text.printable(limit: 60))”")
        }
        return text.lowercased()
    }

    package func run(to output: inout StandardOutput) -> ExitCode {
        if let live {
            var results = live.results
            return live.broker.run(
                &results, results.filters, maximumPayload: LiveResults.maxBytes, to: &output)
        }
        return run(configuration: configurationPath, to: &output)
    }

    /// Writes results to `output` and faults to `report`.
    func run(
        _ configuration: QueueConfiguration, to output: inout StandardOutput,
        report: (String) -> Void
    ) -> ExitCode {
        var run = RegionsRun(
            configuration, beacon: beacon, allowedLateness: allowedLateness)
        guard run.hasRegions else {
            report("\(configurationPath.printable(limit: 1000)): no site has regions")
            return .wrongUse
        }
        let status = run.read(
            inputs, isLive: allowedLateness != nil, to: &output, report: report)
        run.finish { output.write(bytes: $0.bytes + [UInt8(ascii: "\n")]) }
        return run.conclude(status, report: report)
    }
}

extension RegionsCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "Without --input, shows the present state of the regions that servers publish, once. INSIDE is the "
                + "number of beacons in the region; MAY BE INSIDE are those of which no gateway that listens could "
                + "tell. With --follow, writes a line for each event: a beacon enters or leaves, or is unknown since "
                + "no gateway of the region listens.",
            "--why shows the events of one beacon alone, with their evidence: the reports with which it entered, the "
                + "silence and the deadline with which it left, its rate of reports, and the number of such silences "
                + "that are expected in a day of presence. The beacon of a person is known to servers by the tag of "
                + "the day only.",
            "With --input, reads the windows of gateways and writes the events, then the state of each region at the "
                + "end, and a summary of the input. All of it is JSON, one object a line. Lines may have any order, "
                + "and may repeat. With --why, the last objects say what each gateway knows of the beacon at the "
                + "end: silenceMs, and deadlineMs after which it would leave. With --allowed-lateness, an event "
                + "appears as soon as no later message can change it. Without the option, the windows stay in memory "
                + "until the input ends.",
            "The configuration is JSON. Each site has regions beside its queues; a region has gateways and the "
                + "beacons that are looked for. The file of sightline-server(8) is one too. Invalid lines are named; "
                + "if no line is valid, the command ends with 1. Without a region, it ends with 2.",
        ], exitCodes: ExitCode.manual,
        examples: [
            .init("sightline regions --broker mqtt://localhost", "Who is where now:"),
            .init(
                "sightline regions --broker mqtt://localhost --why e2c56db5-dffb-48d2-b060-d0f5a71096e0/42/7",
                "Follow a beacon:"),
            .init(
                "sightline regions --config sightline-server.json --input monday.jsonl",
                "Compute the events of a past day again:"),
        ], seeAlso: ["sightline(1)", "sightline-server(8)", "sightline-queue(1)"])
}
