import Contract
import JSON
import Prometheus
import Subscriber

/// The metrics of the server for Prometheus.
struct ServerMetrics {
    private typealias Label = Exposition.Label

    let text: String

    init(_ state: ServerState) {
        var exposition = Exposition()
        exposition.info(
            "server", "Who writes this.",
            [("version", Version.current), ("session", state.session.description)])
        exposition.gauge(
            "server_broker_connected", "Whether the server is connected to a broker.",
            state.isConnected)
        exposition.gauge(
            "server_durable", "Whether results are stored on the disk.", state.isDurable)
        exposition.gauge(
            "server_privacy_faults",
            "Files that the disk refuses to erase, and keys that it refuses to store; the log names them.",
            state.privacyFaults.count)
        exposition.counters(
            "server_messages", "Messages of gateways, by what became of them.",
            state.counts.all.sorted { $0.key.order < $1.key.order }.map { counter, count in
                (
                    [
                        ("site", counter.site), ("gateway", counter.gateway),
                        ("outcome", counter.outcome),
                    ], Int(count)
                )
            })
        exposition.counters(
            "server_dropped_publications", "Results that the broker did not take in time.",
            [([], state.loop.droppedPublications)])
        exposition.counters(
            "server_refused_publications",
            "Results that the broker refused, for example by its access list; /healthz names the topic.",
            [([], state.loop.refusedPublications)])
        exposition.counters(
            "server_refused_commits",
            "Commits that the store refused: the broker keeps the messages.",
            [([], state.loop.refusedCommits)])
        exposition.counters(
            "server_early_seconds",
            "Seconds that were folded before the allowed lateness, since the memory was full.",
            state.sites.map {
                ([("site", $0.layout.site)], Int($0.today.estimator.passedEarly.wholeSeconds))
            })
        exposition.counters(
            "server_refused_tag_seconds",
            "Seconds of tags that results leave out, since too many were near at one time, or known.",
            state.sites.map { ([("site", $0.layout.site)], $0.today.estimator.refusedTagSeconds) })
        Self.addQueues(state.sites.flatMap(\.states.ordered), &exposition)
        Self.addGateways(state, &exposition)
        text = exposition.text
    }

    /// - Parameter documents: the present states of queues.
    static func addQueues(_ documents: [JSON], _ exposition: inout Exposition) {
        let queues = documents.map { document in
            (
                labels: [("site", document["site"]), ("queue", document["queue"])].map {
                    (name: $0.0, value: $0.1?.text.trimmedQuotes ?? "")
                }, document: document
            )
        }
        func add(_ name: String, _ help: String, _ value: (JSON) -> Double?) {
            exposition.gauges(name, help, queues.map { ($0.labels, value($0.document)) })
        }
        add("queue_unknown", "Whether the queue is unknown; the page names the reason.") {
            $0["state"] == "unknown" ? 1 : 0
        }
        add("queue_degraded", "Whether the numbers are less certain; the page names the reason.") {
            $0["state"] == "degraded" ? 1 : 0
        }
        add("queue_people", "People in line; absent while it is unknown.") {
            $0["length"]?["people"]?.double
        }
        add("queue_people_low", "The lower end of its 90 % interval.") {
            $0["length"]?["low"]?.double
        }
        add("queue_people_high", "The upper end of its 90 % interval.") {
            $0["length"]?["high"]?.double
        }
        add(
            "queue_coverage_ratio",
            "The share of people who carry a beacon; absent if it is unknown."
        ) {
            $0["coverage"]?["percent"]?.double.map { $0 / 100 }
        }
        add("queue_throughput_per_hour", "Tags served an hour; absent while it is unknown.") {
            $0["throughput"]?["perHour"]?.double
        }
        add("queue_wait_seconds", "The wait of a person who joins now; absent while it is unknown.")
        {
            $0["wait"]?["ms"]?.seconds
        }
        add("queue_wait_low_seconds", "The lower end of its 90 % interval.") {
            $0["wait"]?["lowMs"]?.seconds
        }
        add("queue_wait_high_seconds", "The upper end of its 90 % interval.") {
            $0["wait"]?["highMs"]?.seconds
        }
        add(
            "queue_forecast_error_seconds",
            "The mean error of past forecasts of the wait; absent before there are any."
        ) {
            $0["wait"]?["meanErrorMs"]?.seconds
        }
        add("queue_wait_p90_seconds", "90 % of those who left recently waited no longer.") {
            $0["leavers"]?["p90Ms"]?.seconds
        }
        add("queue_target_seconds", "The wait that the operator aims at.") {
            $0["target"]?["waitMs"]?.seconds
        }
        add("queue_over_target", "Whether the wait exceeds the target; absent while it is unknown.")
        {
            guard case .bool(let isOver)? = $0["target"]?["isOver"] else { return nil }
            return isOver ? 1 : 0
        }
        add("queue_tills_open", "Tills that served a visitor recently.") {
            $0["tills"]?["open"]?.double
        }
        add("queue_little_residual_seconds", "Anything but 0 is a fault of the program.") {
            $0["littleResidualMs"]?.seconds
        }
    }

    private static func addGateways(_ state: ServerState, _ exposition: inout Exposition) {
        let samples = state.sites.flatMap { site in
            site.gateways.conditions.flatMap { gateway, condition in
                GatewayCondition.ofSubscription.map { word in
                    (
                        labels: [
                            (name: "site", value: site.layout.site),
                            (name: "gateway", value: gateway),
                            (name: "state", value: word.rawValue),
                        ], value: Optional(word == condition ? 1.0 : 0)
                    )
                }
            }
        }
        exposition.gauges("gateway_state", "The gateway's state: 1 for the present one.", samples)
    }
}

extension JSON {
    fileprivate var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// Of milliseconds.
    fileprivate var seconds: Double? { double.map { $0 / 1000 } }
}

extension String {
    fileprivate var trimmedQuotes: String {
        hasPrefix("\"") && hasSuffix("\"") && count > 1 ? String(dropFirst().dropLast()) : self
    }
}
