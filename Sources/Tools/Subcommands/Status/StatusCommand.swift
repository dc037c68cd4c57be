import CommandLine
import Contract
import MQTT
import Posix
import Primitives
import Session
import Subscriber
import Terminal

/// `sightline status`: shows the state of all gateways, or one gateway whole.
package struct StatusCommand: Subcommand {
    package static let command = Command(
        name: "sightline status",
        summary: "shows the state of each gateway, the worst first, or one gateway whole",
        options: BrokerOptions.place + [
            Option("site", value: "SITE", help: "only this site"),
            Option(
                "state", value: "STATE", help: "only gateways in this state",
                isRepeatable: true, completion: .words(stateWords)),
            Option(
                "sort", value: "ORDER",
                help: "state (the default: the worst first), name, reports, backlog or certificate",
                completion: .words(StatusOrder.words)),
            Option(
                "fail-on", value: "STATES",
                help: "exit with 4 if a gateway is in one of these states, such as offline,deaf",
                isRepeatable: true, completion: .words(stateWords)),
            Option("all", help: "on a terminal, also the gateways beyond its height"),
            Option(
                "watch",
                help:
                    "keep the table on the terminal, with keys to scroll, filter and sort, until q"),
            Option("json", help: "write an object for each gateway, one per line"),
            BrokerOptions.clocks,
        ] + GatewaySelection.options + BrokerOptions.credentials,
        operands: [
            Operand(
                "SITE/GATEWAY", help: "show this gateway whole", isRequired: false,
                completion: .names("gateways"))
        ], manual: manual)

    let connection: BrokerOptions
    let site: String?
    let gateway: GatewayName?
    let states: Set<GatewayCondition>
    let order: StatusOrder
    let failing: Set<GatewayCondition>
    let showsAll: Bool
    let watches: Bool
    let json: Bool

    package init(_ invocation: Invocation) throws(UsageError) {
        connection = try BrokerOptions(invocation)
        gateway = try Self.gateway(invocation)
        site = gateway == nil ? try connection.site(invocation) : nil
        states = try Self.states(invocation.all("state"), of: "state")
        failing = try Self.states(
            invocation.all("fail-on").flatMap {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }, of: "fail-on")
        order = try Self.order(invocation)
        showsAll = invocation.has("all")
        watches = invocation.has("watch")
        json = invocation.has("json")
        if gateway != nil {
            for option in ["site", "state", "sort", "all", "label"] where invocation.has(option) {
                throw UsageError("--\(option) is for several gateways; leave out SITE/GATEWAY")
            }
        }
        if watches, !failing.isEmpty {
            throw UsageError("--watch has no end; leave out --fail-on")
        }
        if watches, gateway != nil {
            throw UsageError("--watch shows the table; leave out SITE/GATEWAY or --watch")
        }
        if watches, json {
            throw UsageError("--watch draws on a terminal; use sightline watch --json for messages")
        }
    }

    private static func gateway(_ invocation: Invocation) throws(UsageError) -> GatewayName? {
        guard let text = invocation.operands.first else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts.allSatisfy(Topics.isName) else {
            throw UsageError(
                "expected SITE/GATEWAY, such as store-042/entry-1, not"
                    + " “\(text.printable(limit: 140))”; --site SITE shows a site")
        }
        return GatewayName(site: parts[0], id: parts[1])
    }

    private static let stateWords = GatewayCondition.ofRetained.map(\.rawValue)

    private static func states(
        _ words: [String], of option: String
    ) throws(UsageError) -> Set<GatewayCondition> {
        var states: Set<GatewayCondition> = []
        for word in words {
            guard let state = GatewayCondition.ofRetained.first(where: { $0.rawValue == word })
            else {
                throw UsageError(
                    "--\(option) must be one of \(stateWords.joined(separator: ", ")),"
                        + " not “\(word.printable())”")
            }
            states.insert(state)
        }
        return states
    }

    private static func order(_ invocation: Invocation) throws(UsageError) -> StatusOrder {
        guard let word = invocation["sort"] else { return .state }
        guard let order = StatusOrder(rawValue: word) else {
            throw UsageError(
                "--sort must be one of \(StatusOrder.words.joined(separator: ", ")), not"
                    + " “\(word.printable())”")
        }
        return order
    }

    /// The status of every gateway, for its name; the rest of those that are shown.
    var filters: [String] {
        let root = connection.root
        let place = (site: gateway?.site ?? site, gateway: gateway?.id)
        return [Topics.filter(.status, root: root)]
            + [Topics.Kind.health, .reported].map {
                Topics.filter($0, root: root, site: place.site, gateway: place.gateway)
            } + [
                Topics.desired(root: root), Topics.desired(root: root, site: place.site ?? "+"),
                Topics.desired(
                    root: root, site: place.site ?? "+", gateway: place.gateway ?? "+"),
            ]
    }

    package func run(to output: inout StandardOutput) -> ExitCode {
        guard !watches || TerminalScreen.isUsable() else {
            StandardOutput.report("--watch needs a terminal; without it, status writes once")
            return .wrongUse
        }
        var session = StatusSession(self, Environment())
        // Quality of service 0 needs no queue at the broker, whose limit a fleet exceeds.
        return connection.run(
            &session, filters, quality: .atMostOnce, maximumPayload: ReportedMessage.maxBytes,
            usesScreen: watches, to: &output)
    }
}

extension StatusCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "A line for each gateway that has published on the broker, from its retained messages: state and reason, "
                + "reports a second, backlog, clock, the versions of the layers in force (fleet/site/gateway), "
                + "version and broker. Narrow terminals show fewer columns. The last line counts each state.",
            "The states, the worst first: offline; unknown (no status); deaf (the radio receives nothing); degraded "
                + "(a fault of the radio); refused (by the controller) and rejected documents; unsynced (the clock "
                + "is not set); backlog (a message waits for more than 10 s); pending (a document on the broker is "
                + "not in force); expiring (its certificate ends within 14 days, or has ended); online. SINCE is the "
                + "time for which the state is known to hold, or a dash. For a deaf gateway it counts from the last "
                + "report, for a backlog from the oldest message, for an offline gateway from the last sign of life. "
                + "Reports and backlog are up to 30 s old.",
            "With --watch, the table stays on the terminal. Arrows, Page Up, Page Down, Home and End move, / filters "
                + "by name, state and reason, s changes the order, q quits.",
            "With SITE/GATEWAY, the command shows the radio, recovery, outbox, broker and losses of one gateway, and "
                + "each value in force with the layer that sets it.",
            "With --fail-on, the exit code says whether a gateway of the place is in one of the states, also behind "
                + "a more severe one. The option --state does not change that.",
        ],
        exitCodes: ExitCode.manual + [.init("4", "a gateway is in a state of --fail-on")],
        examples: [
            .init("sightline status --state offline --state deaf", "Which gateways do not hear?"),
            .init("sightline status store-042/entry-1", "Everything about one gateway:"),
            .init(
                "sightline status --json | jq -r 'select(.state != \"online\") | .gateway'",
                "For a script:"),
            .init(
                "sightline status --fail-on offline,deaf,pending > status.txt || mail -s gateways ops@example.com < "
                    + "status.txt",
                "For a timer, mail when gateways need attention:"),
        ], seeAlso: ["sightline(1)", "sightline-watch(1)", "sightline-profile.json(5)"])
}
