import Contract
import Outbox
import Posix
import Primitives
import Prometheus
import Sightings

/// The health message and the metrics, made of the state of all parts.
extension Uplink {
    /// Publishes health and writes the metrics if they are due. Without a broker the metrics file is still written.
    func reportHealth(at now: Instant) {
        health.losses.on(
            delivery.losses, wall: clock == .synced ? .now : nil)
        let canPublish = canPublish
        if health.isMessageDue(at: now, canPublish: canPublish) {
            let message = healthMessage(at: now)
            writeMetrics(message, at: now)
            if canPublish {
                publish(
                    Outgoing(
                        .health, message.encoded, to: settings.topics.topic(.health),
                        quality: .atMostOnce, isRetained: true))
            }
            health.remind(of: message, at: now, log: log)
            health.beginInterval(at: now)
        }
        if health.areMetricsDue(at: now, isConnected: session.isConnected) {
            writeMetrics(healthMessage(at: now), at: now)
        }
    }

    func writeMetrics(at now: Instant) { writeMetrics(healthMessage(at: now), at: now) }

    private func writeMetrics(_ message: Health, at now: Instant) {
        health.write(
            Metrics(topics: settings.topics, version: settings.version, health: message),
            isConnected: session.isConnected, at: now, log: log)
    }

    /// Reports the state to the service manager; the radio's process reports the end.
    func reportService(at now: Instant) {
        guard !shutdown.isStopping else { return }
        let notifications = health.serviceNotifications(
            HealthReporter.BrokerState(
                hasTried: session.hasTried,
                connected: session.isConnected ? session.address : nil,
                preferred: session.preferredAddress, count: session.brokers.count,
                depth: delivery.outbox.depth, isDurable: delivery.outbox.isDurable),
            at: now)
        notify(notifications)
    }

    func notify(_ notifications: [ServiceManager.Notification]) {
        if !notifications.isEmpty { port.post(.service(notifications)) }
    }

    private func healthMessage(at now: Instant) -> Health {
        var message = Health(
            session: settings.session.description, at: .now,
            uptime: now - health.began)
        message.add(health.radio, at: now)
        message.radio.reportsPerSecond = health.reportsPerSecond(at: now)
        message.radio.identitiesPerSender = health.senders.peak
        delivery.add(to: &message, at: now, clock: stamp)
        message.messages.lastLossAt = health.losses.at
        message.broker = session.address
        message.reconnects = session.connections > 0 ? session.connections - 1 : 0
        message.takeovers = duplicates.takeovers
        message.certificateExpiresAt = session.certificateExpiresAt
        message.process.residentBytes = health.usage.anonymousBytes + ProcessMemory.resident
        message.process.cpuSeconds = (health.usage.processor + Clocks.processor) / .seconds(1)
        message.clock.state = clock
        message.clock.steps = UInt64(health.radio.clockSteps)
        return message
    }
}

extension Health {
    fileprivate mutating func add(_ health: RadioHealth, at now: Instant) {
        // Until the first attempt to scan has ended, it is unknown.
        radio.isHearing = health.isHearing || health.isSettled ? health.isHearing : nil
        radio.reports = UInt64(health.counts.reports)
        radio.beacons = UInt64(health.counts.beacons)
        radio.filtered = UInt64(health.counts.filtered)
        radio.malformed = UInt64(health.counts.malformed)
        radio.implausible = UInt64(health.counts.implausible)
        radio.fragments = UInt64(health.counts.fragments)
        radio.untracked = UInt64(health.counts.untracked)
        radio.dropped = UInt64(health.counts.dropped)
        radio.lastReportAge = health.lastReport.map { now - $0 }
        radio.restarts = UInt64(health.restarts)
        radio.interferences = UInt64(health.interferences)
        radio.steps.probes = UInt64(health.steps.probes)
        radio.steps.rescans = UInt64(health.steps.rescans)
        radio.steps.powerCycles = UInt64(health.steps.powerCycles)
        radio.steps.resets = UInt64(health.steps.resets)
        radio.steps.gaveUp = UInt64(health.steps.gaveUp)
        radio.scanDutyPercent = health.scanDutyPercent.map(Int64.init)
        radio.usesRandomAddress = health.usesRandomAddress == true ? true : nil
    }
}

extension Delivery {
    /// The messages that were refused or lost.
    var losses: UInt64 {
        let counters = outbox.counters
        return counters.refused &+ counters.dropped &+ counters.missed &+ counters.damaged
    }

    /// Adds the counters and the state of the outbox.
    fileprivate func add(to message: inout Health, at now: Instant, clock: Stamp?) {
        let counters = outbox.counters
        message.messages.published = counters.published
        message.messages.acknowledged = counters.acknowledged
        message.messages.refused = counters.refused
        message.messages.lost = counters.dropped &+ counters.missed &+ counters.damaged
        message.outbox.batches = outbox.depth
        message.outbox.bytes = outbox.bytes
        message.outbox.oldestAge =
            outbox.depth > 0 ? outbox.oldestAge(at: now, clock: clock) : nil
        message.outbox.stored = outbox.stored
        message.outbox.isDurable = outbox.isDurable
        message.outbox.merged = counters.merged
        message.outbox.damaged = counters.damaged
    }
}
