import CommandLine
import Terminal

extension StatusCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "A line for each gateway that has published on the broker, from its retained messages: state and reason, "
                + "reports a second, backlog, clock, the versions of the layers in force (fleet/site/gateway), "
                + "version and broker. Narrow terminals show fewer columns. The last line counts each state.",
            "The states, the worst first: offline; unknown (no status); deaf (the radio receives nothing); degraded (a "
                + "fault of the radio); refused (by the controller) and rejected documents; unsynced (the clock is not set); "
                + "backlog (a message waits for more than 10 s); pending (a document on the broker is not in force); "
                + "expiring (its certificate ends within 14 days, or has ended); online. "
                + "SINCE is the time for which the state is known to hold, or a dash. For a deaf gateway it counts from the last "
                + "report, for a backlog from the oldest message, for an offline gateway from the last sign of life. Reports and "
                + "backlog are up to 30 s old.",
            "With --watch, the table stays on the terminal. Arrows, Page Up, Page Down, Home and End move, / filters by name, "
                + "state and reason, s changes the order, q quits.",
            "With SITE/GATEWAY, the command shows the radio, recovery, outbox, broker and losses of one gateway, and each "
                + "value in force with the layer that sets it.",
            "With --fail-on, the exit code says whether a gateway of the place is in one of the states, also behind a more severe "
                + "one. The option --state does not change that.",
        ],
        exitCodes: ExitCode.manual + [.init("4", "a gateway is in a state of --fail-on")],
        examples: [
            .init("sightline status --state offline --state deaf", "Which gateways do not hear?"),
            .init("sightline status store-042/entry-1", "Everything about one gateway:"),
            .init(
                "sightline status --json | jq -r 'select(.state != \"online\") | .gateway'",
                "For a script:"),
            .init(
                "sightline status --fail-on offline,deaf,pending > status.txt || mail -s gateways ops@example.com < status.txt",
                "For a timer, mail when gateways need attention:"),
        ], seeAlso: ["sightline(1)", "sightline-watch(1)", "sightline-profile.json(5)"])
}
