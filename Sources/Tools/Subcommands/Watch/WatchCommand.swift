import CommandLine
import Contract
import MQTT
import Posix
import Primitives
import Session
import Subscriber
import Terminal

/// `sightline watch`: shows the beacons that the gateways hear.
package struct WatchCommand: Subcommand {
    package static let command = Command(
        name: "sightline watch",
        summary: "shows beacons and gateways live: a table on a terminal, otherwise lines",
        options: BrokerOptions.place + [
            Option("site", value: "SITE", help: "only this site"),
            Option("gateway", value: "GATEWAY", help: "only gateways with this id"),
            Option("json", help: "write each message as a line of JSON with its topic"),
            Option("seconds", value: "N", help: "end after N seconds"),
            Option(
                "note", value: "TEXT", help: "show TEXT above the lists; repeatable",
                isRepeatable: true),
            BrokerOptions.clocks,
        ] + GatewaySelection.options + BrokerOptions.credentials, manual: manual)

    let connection: BrokerOptions
    let site: String?
    let gateway: String?
    let json: Bool
    let seconds: Int?
    let notes: [String]

    package init(_ invocation: Invocation) throws(UsageError) {
        connection = try BrokerOptions(invocation)
        site = try connection.site(invocation)
        gateway = try BrokerOptions.name("gateway", invocation)
        json = invocation.has("json")
        seconds = try Self.seconds(invocation)
        notes = invocation.all("note").map { $0.printable(limit: 300) }
    }

    private static func seconds(_ invocation: Invocation) throws(UsageError) -> Int? {
        guard let text = invocation["seconds"] else { return nil }
        guard let seconds = Int(text), (1...31_536_000).contains(seconds) else {
            throw UsageError(
                "--seconds must be a whole number from 1 to 31536000, not “\(text.printable())”")
        }
        return seconds
    }

    /// The topic filters of the subscriptions. The status of all gateways shows which sites exist.
    var filters: [String] {
        [Topics.filter(.status, root: connection.root)] + filters(of: .sightings)
            + dispensableFilters
    }

    /// More gateways than these are chosen from the messages of all.
    private static let mostFilters = 100

    private func filters(of kind: Topics.Kind) -> [String] {
        let root = connection.root
        guard let names = connection.selection?.names, names.count <= Self.mostFilters else {
            return [Topics.filter(kind, root: root, site: site, gateway: gateway)]
        }
        return names.filter { (site ?? $0.site) == $0.site && (gateway ?? $0.id) == $0.id }
            .map { Topics.filter(kind, root: root, site: $0.site, gateway: $0.id) }
    }

    /// A broker may refuse these.
    private var dispensableFilters: [String] {
        [Topics.Kind.health, .reported].flatMap(filters)
    }

    package func run(to output: inout StandardOutput) -> ExitCode {
        var session = WatchSession(self, Environment(), at: .now)
        return connection.run(
            &session, filters, dispensable: Set(dispensableFilters),
            maximumPayload: SightingsMessage.maxBytes,
            usesScreen: session.presentation == .screen, to: &output)
    }
}

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
                + "--site and --gateway. It then prints the nearest names. A broker without any gateway has a "
                + "sentence on what to check, and the watch waits for the first one. It also ends with 1 if "
                + "--seconds pass without a message of any gateway.",
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
