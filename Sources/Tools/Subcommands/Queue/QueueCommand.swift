import CommandLine
import Configuration
import Contract
import JSON
import Posix
import Primitives
import Queueing
import Results
import Subscriber
import Terminal

/// `sightline queue`: measures queues from messages in files.
package struct QueueCommand: ResultCommand {
    package static let command = Command(
        name: "sightline queue",
        summary: "shows the queues of servers live, or measures queues from messages in files",
        options: BrokerOptions.place + [
            resultsRoot,
            input,
            Option(
                "config", value: "FILE",
                help: "the sites, their queues and gateways, or the file of sightline-server; "
                    + "required with --input"),
            AllowedLateness.option,
            Option("identities", help: "show the beacon of each visit"),
        ] + BrokerOptions.credentials, manual: manual)

    private let inputs: [String]
    private let configurationPath: String
    private let allowedLateness: Duration?
    private let showsIdentities: Bool
    /// `nil` with `--input`.
    private let live: (broker: BrokerOptions, topics: ResultTopics)?

    package init(_ invocation: Invocation) throws(UsageError) {
        inputs = invocation.all("input")
        live = inputs.isEmpty ? try Self.live(invocation) : nil
        guard live != nil || invocation.has("config") else {
            throw UsageError("--config FILE is required with --input")
        }
        configurationPath = invocation["config"] ?? ""
        showsIdentities = invocation.has("identities")
        allowedLateness = try AllowedLateness.time(invocation, inputs)
    }

    private static func live(
        _ invocation: Invocation
    ) throws(UsageError) -> (broker: BrokerOptions, topics: ResultTopics) {
        for option in ["config", "allowed-lateness", "identities"] where invocation.has(option) {
            throw UsageError("--\(option) needs --input FILE")
        }
        let root = try topics(invocation)
        return (try BrokerOptions(invocation), root)
    }

    package func run(to output: inout StandardOutput) -> ExitCode {
        if let live {
            let isTerminal = TerminalScreen.isUsable()
            var queues = LiveQueues(live.topics, isTerminal: isTerminal)
            return live.broker.run(
                &queues, LiveQueues.filters(live.topics), maximumPayload: LiveResults.maxBytes,
                usesScreen: isTerminal, to: &output)
        }
        return run(configuration: configurationPath, to: &output)
    }

    /// Writes results to `output` and faults to `report`.
    func run(
        _ configuration: QueueConfiguration, to output: inout StandardOutput,
        report: (String) -> Void
    ) -> ExitCode {
        guard configuration.sites.contains(where: { !$0.queues.isEmpty }) else {
            report("\(configurationPath.printable(limit: 1000)): no site has queues")
            return .wrongUse
        }
        var run = QueueRun(
            configuration, showsIdentities: showsIdentities, allowedLateness: allowedLateness)
        let status = run.read(
            inputs, isLive: allowedLateness != nil, to: &output, report: report)
        run.finish { output.write(bytes: $0.bytes + [UInt8(ascii: "\n")]) }
        return run.conclude(status, report: report)
    }
}

extension QueueCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "Without --input, shows the present state of the queues that servers publish: a table on a terminal, "
                + "otherwise a line for each change. A value that a server does not know is unknown, which is not 0.",
            "PEOPLE is the number of people in line. WAIT is the forecast for a person who joins now. In parentheses "
                + "is the range that is right in 9 of 10 cases. 1 IN 10 ABOVE is the wait that one in ten of those "
                + "exceeded who were served in the last 30 minutes. NOT HEARING names the gateways that leave the "
                + "numbers less certain or unknown. A fault with (over) has ended, but a person who is still near "
                + "may have joined unseen before that.",
            "STATE is stale since a time of day if the servers are offline, or the broker has sent no state of the "
                + "queue for 35 s. The queue has no numbers until the next state.",
            "With --input, reads the windows of gateways and writes who was in line, as JSON, one object a line. The "
                + "lines of the input may have any order, and may repeat. The results are the same. Times are "
                + "milliseconds since the epoch, of the gateways' clocks.",
            "The topic of a line names the site and the gateway, as for the server. The names in the message count "
                + "only where the line has no topic.",
            "Messages of other kinds count as other. The tills' receipts are among them: they change only the coverage "
                + "of the present.",
            "A visit has the times of joining and leaving, and how it ended. A minute has the length of the line, "
                + "waits, and a forecast for a person who joined at its end. Its state is ok, degraded or unknown. An "
                + "unknown minute has no numbers, and reasons that name the gateways. The last line is a summary of "
                + "the input. Invalid lines are named; if no line is valid, the command ends with 1. If no "
                + "message counts, it says why. Without a queue in the configuration, it ends with 2.",
            "The command begins without the knowledge of earlier days that a server has: minutes are unknown until "
                + "each gateway has listened for learningSeconds. A later day in the input begins no new day.",
            "The configuration is JSON. Comments are allowed. Each site has queues, and each queue has gateways at "
                + "its entry and its tills. The command shows all faults of the configuration together. The file of "
                + "sightline-server(8) is one too: the command checks all its keys, and uses its sites.",
            "With --allowed-lateness, a minute appears as soon as it begins, with \"final\": false. It appears again "
                + "with a higher rev when it changes, and at last with \"final\": true. Without the option, the "
                + "windows stay in memory until the input ends.",
        ], exitCodes: ExitCode.manual,
        examples: [
            .init("sightline queue --broker mqtt://localhost", "Show the queues of a store live:"),
            .init(
                "sightline queue --config sightline-server.json --input monday.jsonl",
                "Compute a past day again:"),
            .init(
                "mosquitto_sub -v -t 'sightline/v1/+/+/sightings' | sightline queue --config queues.json "
                    + "--input - --allowed-lateness 60", "Measure live in a pipeline:"),
        ], seeAlso: ["sightline(1)", "sightline-server(8)", "sightlined(8)", "mosquitto_sub(1)"])
}
