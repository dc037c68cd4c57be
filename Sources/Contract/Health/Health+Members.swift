import Sightings

/// An object of the message `health`, and its members.
package struct HealthSection: Sendable {
    package let name: String
    /// Its meaning, as one sentence.
    package let help: String
    package let members: [HealthMember]
}

extension Health {
    /// The members beside the sections; `v` and `session` precede them.
    package static let general: [HealthMember] = [
        .time(
            "at", \.at, metric: "health_timestamp",
            help: "When this was written, by the gateway's clock."),
        .seconds(
            "uptimeSeconds", \.uptime, metric: "uptime_seconds",
            sensor: .init("uptime", "Uptime"), help: "How long the agent has been running."),
    ]

    /// The sections in the order of the message and of the metrics.
    package static let sections = [
        HealthSection(
            name: "radio", help: "The counters of all windows, and the steps to recover the radio.",
            members: radio),
        HealthSection(
            name: "messages", help: "Counters of the messages on the topic sightings.",
            members: messages),
        HealthSection(name: "broker", help: "The connection to a broker.", members: broker),
        HealthSection(
            name: "outbox", help: "The messages that the broker has not acknowledged.",
            members: outbox),
        HealthSection(name: "process", help: "The agent's use of resources.", members: process),
        HealthSection(name: "clock", help: "The wall clock.", members: clock),
    ]

    private static let radio: [HealthMember] = [
        .optionalFlag(
            "hearing", \.radio.isHearing, metric: "radio_hearing", isZeroIfAbsent: true,
            help: "Whether the radio listens; otherwise it is deaf."),
        .optional(
            "reportsPerSecond", .gauge, \.radio.reportsPerSecond,
            metric: "radio_reports_per_second",
            help: "Reports a second since the last message."),
        .counter(
            "reports", \.radio.reports, metric: "radio_reports",
            sensor: .init("reports", "Reports"),
            help: "Advertising reports that the controller delivered."),
        .counter(
            "beacons", \.radio.beacons, metric: "radio_beacons",
            sensor: .init("beacons", "Beacon reports"),
            help: "Reports of beacons that the filter let through: in a sighting."),
        .counter(
            "filtered", \.radio.filtered, metric: "radio_filtered",
            help: "Reports of beacons that the filter kept out."),
        .counter(
            "malformed", \.radio.malformed, metric: "radio_malformed",
            help: "Reports that were cut short."),
        .counter(
            "implausible", \.radio.implausible, metric: "radio_implausible",
            help: "Reports with an RSSI that no receiver can have measured."),
        .rareCounter(
            "fragments", \.radio.fragments, metric: "radio_fragments",
            help: "Reports with a part of longer advertising data: another report counts the whole,"
                + " or a part is lost."),
        .counter(
            "untracked", \.radio.untracked, metric: "radio_untracked",
            help: "Reports of beacons beyond the bounds of the section report, in no sighting."),
        .counter(
            "dropped", \.radio.dropped, metric: "radio_dropped",
            sensor: .init("dropped", "Dropped packets"),
            help: "Packets that the kernel dropped before they could be read."),
        .rareCounter(
            "eddystoneUrls", \.radio.eddystoneURLs, metric: "radio_eddystone_urls",
            help: "Reports with an Eddystone-URL frame, in no sighting."),
        .rareCounter(
            "eddystoneEids", \.radio.eddystoneEIDs, metric: "radio_eddystone_eids",
            help: "Reports with an Eddystone-EID frame, a rotating identity, in no sighting."),
        .optional(
            "identitiesPerSender", .gauge, \.radio.identitiesPerSender,
            metric: "radio_identities_per_sender", isZeroIfAbsent: true,
            help: "The most identities of one sender in a window, if unusually many; otherwise 0."),
        .optionalMilliseconds(
            "lastReportAgeMs", \.radio.lastReportAge,
            metric: "radio_last_report_age", sensor: .init("last-report", "Latest report"),
            help: "How long ago the latest report came; none before the first."),
        .counter(
            "restarts", \.radio.restarts, metric: "radio_restarts",
            help: "How often the radio was opened again."),
        .counter(
            "interferences", \.radio.interferences, metric: "radio_interferences",
            help: "How often another program changed its scan or its advertising."),
        .counter(
            "probes", \.radio.steps.probes, metric: "radio_probes",
            help: "How often the agent probed the silent controller."),
        .counter(
            "rescans", \.radio.steps.rescans, metric: "radio_rescans",
            help: "How often the scan was switched off and on to cure the radio."),
        .counter(
            "powerCycles", \.radio.steps.powerCycles, metric: "radio_power_cycles",
            help: "How often the adapter was switched off and on to recover the radio."),
        .counter(
            "resets", \.radio.steps.resets, metric: "radio_resets",
            help: "How often the controller was reset to recover the radio."),
        .counter(
            "gaveUp", \.radio.steps.gaveUp, metric: "radio_gave_up",
            help: "How often all recovery steps failed, and recovery paused."),
        .optional(
            "scanDutyPercent", .gauge, \.radio.scanDutyPercent, metric: "radio_scan_duty_percent",
            help: "The share of the time in which the radio listens."),
        .optionalFlag(
            "randomAddress", \.radio.usesRandomAddress, metric: "radio_random_address",
            isZeroIfAbsent: true,
            help: "Whether a random address stands for the controller's, which has no public one."),
    ]

    private static let messages: [HealthMember] = [
        .counter(
            "published", \.messages.published, metric: "messages_published",
            help: "Sightings messages handed to the broker, repetitions included."),
        .counter(
            "acknowledged", \.messages.acknowledged, metric: "messages_acknowledged",
            sensor: .init("acknowledged", "Delivered messages"),
            help: "Sightings messages that the broker acknowledged."),
        .counter(
            "refused", \.messages.refused, metric: "messages_refused",
            help: "Sightings messages that the broker refused."),
        .counter(
            "lost", \.messages.lost, metric: "messages_lost",
            sensor: .init("lost", "Lost messages"),
            help: "Sightings messages given up, and declared lost."),
        .optionalTime(
            "lastLossAt", \.messages.lastLossAt, metric: "messages_last_loss_timestamp",
            help: "When a message was last refused or lost; none without a loss."),
    ]

    private static let broker: [HealthMember] = [
        .text(
            "address", \.broker, metric: "broker",
            help: "The broker that the agent is connected to, or tries next."),
        .counter(
            "reconnects", \.reconnects, metric: "broker_reconnects",
            sensor: .init("reconnects", "Reconnects"),
            help: "Connections to a broker after the first."),
        .counter(
            "takeovers", \.takeovers, metric: "broker_takeovers",
            help: "How often another agent of the same name took its place."),
        .optionalTime(
            "certificateExpiresAt", \.certificateExpiresAt,
            metric: "broker_certificate_expiry_timestamp",
            help: "When the agent's certificate for that broker expires; none without one."),
    ]

    private static let outbox: [HealthMember] = [
        .number(
            "batches", .gauge, \.outbox.batches, metric: "outbox_batches",
            sensor: .init("waiting", "Waiting messages"),
            help: "Messages that wait for the broker's acknowledgement."),
        .number(
            "bytes", .bytes, \.outbox.bytes, metric: "outbox_bytes",
            sensor: .init("waiting-bytes", "Waiting data"), help: "What they have in bytes."),
        .optionalMilliseconds(
            "oldestAgeMs", \.outbox.oldestAge, metric: "outbox_oldest_age",
            isZeroIfAbsent: true, sensor: .init("waiting-age", "Oldest waiting message"),
            help: "The age of the oldest of them; 0 when none waits."),
        .number(
            "stored", .gauge, \.outbox.stored, metric: "outbox_stored_batches",
            help: "Those of them on the disk."),
        .flag(
            "durable", \.outbox.isDurable, metric: "outbox_durable", sensor: .init("disk", "Disk"),
            help: "Whether the disk works, as far as is known."),
        .counter(
            "merged", \.outbox.merged, metric: "outbox_merged",
            help: "Messages that became a part of another, for want of room."),
        .counter(
            "damaged", \.outbox.damaged, metric: "outbox_damaged",
            help: "Messages on the disk that can't be read any more."),
    ]

    private static let process: [HealthMember] = [
        .number(
            "residentBytes", .bytes, \.process.residentBytes,
            metric: "process_resident_memory_bytes", sensor: .init("memory", "Memory"),
            help: "Resident memory of the agent."),
        .secondsTotal(
            "cpuSeconds", \.process.cpuSeconds, metric: "process_cpu_seconds",
            sensor: .init("processor", "Processor time"),
            help: "Processor time that the agent has used."),
    ]

    private static let clock: [HealthMember] = [
        .word(
            "state", of: "clock", normal: ClockState.synced, \.clock.state, metric: "clock_synced",
            help: "Whether the wall clock is set."),
        .counter(
            "steps", \.clock.steps, metric: "clock_steps",
            help: "How often the wall clock was set."),
    ]
}
