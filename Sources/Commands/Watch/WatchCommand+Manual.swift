import CommandLine
import CommandSupport

extension WatchCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "On a terminal, a live table of what gateways hear: a row for each beacon, the strongest first, with its "
                + "RSSI now and over time, and a line for each gateway, with its state and "
                + "the messages that are missing. Elsewhere, a line for each change. Device addresses are not shown: "
                + "no message has any."
        ], exitCodes: ExitCode.manual,
        examples: [
            .init(
                "sightline watch --broker mqtts://broker.example --site store-042",
                "Watch one store, over TLS:"),
            .init(
                "sightline watch --json --seconds 60 >minute.jsonl", "Keep a minute's messages:"),
        ], seeAlso: ["sightline(1)", "sightlined(8)"])
}
