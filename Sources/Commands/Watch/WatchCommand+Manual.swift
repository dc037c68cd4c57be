import CommandLine
import CommandSupport

extension WatchCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "On a terminal, a live table. It has a row for each beacon, the strongest first, with its RSSI, and a "
                + "line for each gateway, with its state and its missing messages. Otherwise, a line for each "
                + "sighting and each change. Messages contain no device addresses."
        ], exitCodes: ExitCode.manual,
        examples: [
            .init(
                "sightline watch --broker mqtts://broker.example --site store-042",
                "Watch one store, over TLS:"),
            .init(
                "sightline watch --json --seconds 60 >minute.jsonl", "Keep a minute's messages:"),
        ], seeAlso: ["sightline(1)", "sightlined(8)"])
}
