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
        radio.eddystoneURLs = UInt64(health.eddystone.urls)
        radio.eddystoneEIDs = UInt64(health.eddystone.ephemeral)
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

/// What the uplink hands to a successor, through the radio's process.
extension Uplink {
    /// Continues where an earlier uplink of the session ended: takes its batches, and stores them before the next connection,
    /// which may end this process as well.
    func continueEarlierUplink() throws(Errno) {
        // Messages that came with the first one are not in the socket any more.
        guard let predecessor = settings.predecessor else { return receive(at: .now) }
        let earlier = predecessor.account
        delivery.restore(earlier.outbox)
        health.sightings = earlier.sightings
        health.losses = LatestLoss(after: delivery.losses)
        session.connections = earlier.connections
        duplicates.takeovers = earlier.takeovers
        receive(at: .now)
        while port.received < predecessor.batches, !port.isAtEnd {
            _ = try Poll.wait(for: [port.interest])
            receive(at: .now)
        }
        delivery.storeAll(at: .now)
        reportAccount(isAsked: true)
    }

    /// Reports which batches the uplink still needs: after a question, and after a change that must not be lost.
    func reportAccount(isAsked: Bool = false) {
        guard accounts.isDue(delivery.outbox) || isAsked else { return }
        var account = UplinkAccount()
        account.received = port.received
        account.outbox = delivery.outbox.account
        account.connections = session.connections
        account.takeovers = duplicates.takeovers
        account.sightings = health.sightings
        port.post(.account(account))
    }

    /// Reports what was decided about a message before it is sent.
    func reportDecisions() {
        for stored in delivery.takeDecisions() {
            port.post(.decided(seq: stored.batch.seq, stored.encoded))
            if stored.lost != nil { reportAccount() }
        }
    }
}

/// Decides when the radio's process needs a new account. While the broker acknowledges, few are enough.
struct AccountSchedule {
    /// After this number of batches that need not be kept.
    private static let releasedTogether: UInt64 = 32

    /// The answers to earlier uplinks.
    private let before: UInt64
    private var stored: UInt64 = 0
    private var inMemory = 0
    private var undeclared: Loss?
    /// `nil` until the broker has answered once.
    private var released: UInt64?

    init(after counters: OutboxCounters = OutboxCounters()) {
        before = counters.released
    }

    mutating func isDue(_ outbox: Outbox) -> Bool {
        let counters = outbox.counters
        let released = counters.released
        guard
            counters.stored != stored || outbox.storedInMemory != inMemory
                || outbox.undeclared != undeclared
                || released &- (self.released ?? before) >= Self.releasedTogether
                || self.released == nil && released > before
        else { return false }
        stored = counters.stored
        inMemory = outbox.storedInMemory
        undeclared = outbox.undeclared
        if self.released != nil || released > before { self.released = released }
        return true
    }
}

extension OutboxCounters {
    /// Batches that are over.
    fileprivate var released: UInt64 { acknowledged &+ refused &+ dropped }
}
