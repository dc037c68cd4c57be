import CommandLine
import Terminal

extension WatchCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "On a terminal, a live screen with two lists. Gateways with problems come first, with the reason; the "
                + "others follow with their reports a second, the beacons that they hear now, the width of the "
                + "window in force, and the last minute. A retune is shown for ten seconds. Each beacon has a row "
                + "with the gateway that hears it best. Rows keep their places: a beacon that is not heard becomes "
                + "faint after 3 s, and its row stays until a new beacon takes the place.",
            "The states are those of sightline-status(1), and three that only a subscription sees: silent (no message "
                + "arrives), behind (messages arrive late) and losing (messages or packets were lost in the last five "
                + "minutes). A watch does not show pending.",
            "Keys: arrows, Page Up, Page Down, Home and End move; Tab changes the list; Enter opens a gateway or a "
                + "beacon with its last five minutes, and Esc closes it; / filters; s changes the order; p pauses; "
                + "? helps; q quits. NO_COLOR switches colours off, and a locale without UTF-8 block characters.",
            "Otherwise, or if TERM is dumb, a line for each sighting and each change. With --json, each message of "
                + "status, sightings, health and config/reported is an object on a line with the members topic, "
                + "site, gateway, retained and message. Messages contain no device addresses, except that "
                + "config/reported has the address of the gateway's own adapter.",
            "The watch ends with 1 if it never reached the broker, or if the broker has no gateway that matches "
                + "--site and --gateway. It then prints the nearest names. A broker without any "
                + "gateway has a sentence on what to check, and the watch waits for the first one. It also ends with 1 if --seconds pass "
                + "without a message of any gateway.",
        ], exitCodes: ExitCode.manual,
        examples: [
            .init(
                "sightline watch --broker mqtts://broker.example --site store-042",
                "Watch one store, over TLS:"),
            .init(
                "sightline watch --json --seconds 60 >minute.jsonl", "Keep a minute's messages:"),
            .init(
                "sightline watch --json | jq -c 'select(.topic | endswith(\"/health\"))'",
                "Show the health of all gateways:"),
        ], seeAlso: ["sightline(1)", "sightline-status(1)", "sightlined(8)"])
}
