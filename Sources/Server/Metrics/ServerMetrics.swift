import Contract
import Prometheus
import ServerConfiguration
import Subscriber

/// The metrics of the server for Prometheus.
struct ServerMetrics {
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
            "Files that the disk refuses to erase, and keys that it refuses to store or has lost; the log names them.",
            state.reported.privacy.count)
        exposition.gauge(
            "server_damaged_keys",
            "Keys of days that are not closed whose files were lost or damaged since the start; /healthz names those that were replaced.",
            state.loop.damagedKeys)
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
            "server_webhook_events",
            "Events for the webhook, by whether it took them or they were lost: it refused them, or too many waited.",
            [
                ([("outcome", "sent")], state.loop.sentEvents),
                ([("outcome", "lost")], state.loop.lostEvents),
            ])
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
        exposition.counters(
            "server_refused_beacon_seconds",
            "Seconds of beacons that regions leave out, since too many were near a gateway.",
            state.sites.compactMap { site in
                site.regions.map {
                    ([("site", site.layout.site)], $0.estimator.refusedBeaconSeconds)
                }
            })
        exposition.counters(
            "server_region_flaps",
            "Exits of beacons from gateways after which they came back within 3 minutes. Where exitMs is short, a longer one, or none, makes them fewer.",
            state.sites.compactMap { site in
                site.regions.map { ([("site", site.layout.site)], $0.estimator.flaps) }
            })
        exposition.counters(
            "server_delayed_place_seconds",
            "Seconds by which places were late, since too many beacons changed at one time.",
            state.sites.compactMap { site in
                site.ranging.map { ([("site", site.layout.site)], $0.estimator.delayedLooks) }
            })
        exposition.counters(
            "server_refused_place_seconds",
            "Seconds of beacons that places and zones leave out, since too many were near.",
            state.sites.compactMap { site in
                site.ranging.map {
                    ([("site", site.layout.site)], $0.estimator.refusedBeaconSeconds)
                }
            })
        for kind in PresentKind.all {
            exposition.write(kind.kind, state.sites.flatMap { $0.states.ordered(kind) })
        }
        Self.addGateways(state, &exposition)
        text = exposition.text
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
