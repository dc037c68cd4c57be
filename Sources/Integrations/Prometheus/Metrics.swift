import Contract

/// The metrics of an agent for Prometheus: the content of the topic `health`, and the other topics'
/// facts about its radio, its broker and its sightings.
package struct Metrics: Sendable {
    package var topics: Topics
    package var version: String
    package var health: Health
    package var isHearing = false
    package var isDegraded = false
    package var isConnected = false
    package var sightings = SightingTally()

    package init(topics: Topics, version: String, health: Health) {
        self.topics = topics
        self.version = version
        self.health = health
    }

    /// The text that Prometheus reads.
    package var text: String {
        // On every sample, so that two agents of one machine do not collide.
        var exposition = Exposition(labels: [("site", topics.site), ("gateway", topics.gateway)])
        exposition.info(
            "agent", "Who writes this.", [("version", version), ("session", health.session)])
        exposition.seconds(
            "health_timestamp", "When this was written, by the gateway's clock.",
            milliseconds: health.at)
        exposition.gauge(
            "uptime_seconds", "How long the agent has been running.", health.uptimeSeconds)
        write(health.radio, to: &exposition)
        write(sightings, to: &exposition)
        write(health.messages, to: &exposition)
        writeBroker(to: &exposition)
        write(health.outbox, to: &exposition)
        exposition.gauge(
            "process_resident_memory_bytes", "Resident memory of the agent.",
            health.process.residentBytes)
        exposition.counter(
            "process_cpu_seconds", "Processor time that the agent has used.",
            health.process.cpuSeconds)
        exposition.gauge(
            "clock_synced", "Whether the wall clock is set.", health.clock.state == .synced)
        exposition.counter(
            "clock_steps", "How often the wall clock was set.", health.clock.steps)
        return exposition.text
    }

    private func write(_ radio: Health.Radio, to exposition: inout Exposition) {
        exposition.gauge("radio_hearing", "Whether the radio is scanning, not deaf.", isHearing)
        exposition.gauge(
            "radio_degraded", "Whether it is deaf, or something is known to be wrong with it.",
            isDegraded)
        exposition.counter(
            "radio_reports", "Advertising reports that the controller delivered.", radio.reports)
        exposition.counter(
            "radio_beacons", "Reports of iBeacons that the filter let through: in a sighting.",
            radio.beacons)
        exposition.counter(
            "radio_filtered", "Reports of iBeacons that the filter kept out.", radio.filtered)
        exposition.counter("radio_malformed", "Reports that were cut short.", radio.malformed)
        exposition.counter(
            "radio_implausible", "Reports with an RSSI that no receiver can have measured.",
            radio.implausible)
        exposition.counter(
            "radio_untracked",
            "Reports of iBeacons beyond the bounds of the section report, in no sighting.",
            radio.untracked)
        exposition.counter(
            "radio_dropped", "Packets that the kernel dropped before they could be read.",
            radio.dropped)
        exposition.gauge(
            "radio_identities_per_sender",
            "The most identities of one sender in a window, if unusually many; otherwise 0.",
            radio.identitiesPerSender ?? 0)
        exposition.seconds(
            "radio_last_report_age", "How long ago the latest report came; none before the first.",
            milliseconds: radio.lastReportAgeMs)
        exposition.counter(
            "radio_restarts", "How often the radio was opened again.", radio.restarts)
        exposition.counter(
            "radio_interferences", "How often another program changed its scan or its advertising.",
            radio.interferences)
        exposition.counter(
            "radio_probes", "How often the agent probed the silent controller.",
            radio.probes)
        exposition.counter(
            "radio_rescans", "How often the scan was switched off and on to cure the radio.",
            radio.rescans)
        exposition.counter(
            "radio_power_cycles", "How often the adapter went down and up to cure the radio.",
            radio.powerCycles)
        exposition.counter(
            "radio_resets", "How often the controller was reset to cure the radio.", radio.resets)
        exposition.counter(
            "radio_gave_up", "How often nothing cured the radio, and it was left alone.",
            radio.gaveUp)
        exposition.gauge(
            "radio_scan_duty_percent", "The share of the time in which the radio listens.",
            radio.scanDutyPercent)
    }

    private func write(_ sightings: SightingTally, to exposition: inout Exposition) {
        exposition.counter("sightings", "Sightings that windows ended with.", sightings.total)
        exposition.gauge(
            "identities", "Identities in the latest window; none while the radio is deaf.",
            sightings.identities)
    }

    private func write(_ messages: Health.Messages, to exposition: inout Exposition) {
        exposition.counter(
            "messages_published", "Sightings messages handed to the broker, repetitions included.",
            messages.published)
        exposition.counter(
            "messages_acknowledged", "Sightings messages that the broker acknowledged.",
            messages.acknowledged)
        exposition.counter(
            "messages_refused", "Sightings messages that the broker refused.", messages.refused)
        exposition.counter(
            "messages_lost", "Sightings messages given up, and declared lost.", messages.lost)
    }

    private func writeBroker(to exposition: inout Exposition) {
        exposition.gauge("broker_connected", "Whether a broker has let the agent in.", isConnected)
        if let address = health.broker {
            exposition.info(
                "broker", "The broker that the agent is connected to, or tries next.",
                [("address", address)])
        }
        exposition.counter(
            "broker_reconnects", "Connections to a broker after the first.", health.reconnects)
        exposition.counter(
            "broker_takeovers", "How often another agent of the same name took its place.",
            health.takeovers)
    }

    private func write(_ outbox: Health.Outbox, to exposition: inout Exposition) {
        exposition.gauge(
            "outbox_batches", "Messages that wait for the broker's acknowledgement.",
            outbox.batches)
        exposition.gauge("outbox_bytes", "What they have in bytes.", outbox.bytes)
        exposition.seconds(
            "outbox_oldest_age", "The age of the oldest of them; 0 when none waits.",
            milliseconds: outbox.oldestAgeMs ?? 0)
        exposition.gauge("outbox_stored_batches", "Those of them on the disk.", outbox.stored)
        exposition.gauge(
            "outbox_durable", "Whether the disk works, as far as is known.", outbox.isDurable)
        exposition.counter(
            "outbox_merged", "Messages that became a part of another, for want of room.",
            outbox.merged)
        exposition.counter(
            "outbox_damaged", "Messages on the disk that can't be read any more.", outbox.damaged)
    }
}
