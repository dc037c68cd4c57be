import Contract
import Outbox
import Posix
import Primitives
import Prometheus
import Sightings

extension Uplink {
    /// How the agent has been doing.
    func health(at now: Instant) -> Health {
        var health = Health(
            session: settings.session.description, at: Clocks.wall / 1000,
            uptimeSeconds: now.microseconds(since: begun) / 1_000_000)
        health.radio.reports = UInt64(radio.counts.reports)
        health.radio.beacons = UInt64(radio.counts.beacons)
        health.radio.filtered = UInt64(radio.counts.filtered)
        health.radio.malformed = UInt64(radio.counts.malformed)
        health.radio.implausible = UInt64(radio.counts.implausible)
        health.radio.untracked = UInt64(radio.counts.untracked)
        health.radio.dropped = UInt64(radio.counts.dropped)
        health.radio.lastReportAgeMs = radio.lastReport.map { now.microseconds(since: $0) / 1000 }
        health.radio.restarts = UInt64(radio.restarts)
        health.radio.interferences = UInt64(radio.interferences)
        health.radio.probes = UInt64(radio.steps.probes)
        health.radio.rescans = UInt64(radio.steps.rescans)
        health.radio.powerCycles = UInt64(radio.steps.powerCycles)
        health.radio.resets = UInt64(radio.steps.resets)
        health.radio.gaveUp = UInt64(radio.steps.gaveUp)
        health.messages.published = outbox.counters.published
        health.messages.acknowledged = outbox.counters.acknowledged
        health.messages.refused = outbox.counters.refused
        health.messages.lost =
            outbox.counters.dropped &+ outbox.counters.missed &+ outbox.counters.damaged
        health.broker = broker.connection.address
        health.reconnects = connections > 0 ? connections - 1 : 0
        health.takeovers = takeovers
        health.outbox.batches = outbox.depth
        health.outbox.bytes = outbox.bytes
        health.outbox.oldestAgeMs =
            outbox.depth > 0 ? outbox.oldestAge(at: now, clock: stamp).milliseconds : nil
        health.outbox.stored = outbox.stored
        health.outbox.isDurable = outbox.isDurable
        health.outbox.merged = outbox.counters.merged
        health.outbox.damaged = outbox.counters.damaged
        health.process.residentBytes = ProcessMemory.resident
        health.process.cpuSeconds = Double(Clocks.processor) / 1_000_000
        health.clock.state = clock
        health.clock.steps = UInt64(radio.clockSteps)
        return health
    }

    /// The same for Prometheus, with what other topics say.
    func metrics(_ health: Health) -> Metrics {
        var metrics = Metrics(
            topics: settings.topics, version: settings.version, health: health)
        let standing = standing
        metrics.isHearing = standing.isHearing
        metrics.isDegraded = standing.isDegraded
        metrics.isConnected = standing.isConnected
        metrics.sightings = sightings
        return metrics
    }
    /// When radio or broker have news for the metrics' file.
    var metricsDue: Instant? { metricsFile?.deadline(standing) }

    /// Writes the metrics' file between two healths, where there are news.
    func tellMetrics(at now: Instant) {
        guard let metricsDue, metricsDue <= now else { return }
        writeMetrics(health(at: now), at: now)
    }

    func writeMetrics(_ health: Health, at now: Instant) {
        metricsFile?.write(metrics(health), at: now, log: log)
    }

    private var standing: MetricsFile.Standing {
        .init(
            isConnected: connection?.isConnected == true, isHearing: radio.isHearing,
            isDegraded: radio.isDegraded)
    }
}
