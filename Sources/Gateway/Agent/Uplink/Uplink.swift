import Contract
import Logging
import MQTT
import Outbox
import Posix
import Primitives
import Session
import Sightings

/// Publishes what the radio's process posts, until the broker has acknowledged it.
///
/// The uplink is a loop in a process of its own, without rights. It waits for the radio's process, the broker and deadlines,
/// passes each event to the parts below, and carries out what they answer. Each part owns its state.
package final class Uplink {
    var settings: Settings
    let port: UplinkPort
    let log: Log
    let session: BrokerSession
    var delivery: Delivery
    var status: StatusPublisher
    var duplicates: DuplicateClientMonitor
    var layers: LayerSynchronisation?
    var home: HomeAssistantPublisher
    var health: HealthReporter
    var answers = BrokerAnswers()
    var accounts: AccountSchedule
    var shutdown = Shutdown.running

    package init(_ settings: Settings, port: UplinkPort, log: Log) {
        let now = Instant.now
        let name = settings.session.description
        self.settings = settings
        self.port = port
        accounts = AccountSchedule(
            after: settings.predecessor?.account.outbox.counters ?? OutboxCounters())
        self.log = log
        var brokers = settings.brokers
        brokers.hasWill = settings.publishesStatus
        session = BrokerSession(brokers, at: now)
        delivery = Delivery(
            settings.delivery, topics: settings.topics, session: settings.session, log: log)
        status = StatusPublisher(
            topic: settings.topics.topic(.status), session: name, version: settings.version,
            isSilent: !settings.publishesStatus)
        let detector = DuplicateClientDetector(
            session: name, began: .now,
            memory: settings.brokers.takeoverPause * 3)
        duplicates = DuplicateClientMonitor(
            detector, brokers: 1 + settings.brokers.alternatives.count)
        layers = settings.reconciler.map {
            LayerSynchronisation(
                $0, store: settings.store, topics: settings.topics, session: name, log: log)
        }
        home = HomeAssistantPublisher(
            settings.homeAssistant, topics: settings.topics, session: name,
            version: settings.version)
        health = HealthReporter(settings.health, at: settings.began ?? now)
    }

    /// Runs until the radio's process stops it and the shutdown is complete.
    package func run() throws(Errno) {
        delivery.open(at: .now)
        try continueEarlierUplink()
        writeMetrics(at: .now)
        while !isDone {
            connectIfDue(at: .now)
            let interests = [port.isAtEnd ? nil : port.interest, session.interest]
            let ready = try Poll.wait(for: interests.compactMap(\.self), until: deadline)
            let now = Instant.now
            if !ready[port.interest.descriptor].isEmpty { receive(at: now) }
            serve(ready, at: now)
            repeatRefused(at: now)
            announce()
            migrate(at: now)
            synchroniseLayers(at: now)
            deliver(at: now)
            store(at: now)
            publishForHomeAssistant()
            reportHealth(at: now)
            reportService(at: now)
            continueShutdown()
            reportAccount()
        }
        health.removeMetricsFile()
        delivery.finish(at: .now, broker: session.address)
    }

    private var isDone: Bool {
        shutdown.isDone(
            unsaved: delivery.outbox.unsaved, isConnected: session.isConnected, at: .now)
    }

    /// When the loop must turn again.
    private var deadline: Instant {
        let now = Instant.now
        let isConnected = session.isConnected
        let due = [
            session.deadline(after: now), delivery.deadline(isConnected: isConnected),
            health.deadline(isConnected: isConnected), shutdown.deadline,
            shutdown.isStopping ? nil : layers?.deadline, canPublish ? answers.refused.due : nil,
            canPublish && session.unacknowledged == 0 ? answers.withheld.due : nil,
        ].compactMap(\.self)
        return due.min() ?? now
    }

    // MARK: The radio's process

    func receive(at now: Instant) {
        port.take { receive($0, at: now) }
        // Without the radio's process, nothing follows.
        if port.isAtEnd, !shutdown.isStopping { stop(at: now) }
    }

    private func receive(_ message: UplinkMessage, at now: Instant) {
        switch message {
        case .batch(let stored, let isDecided):
            let batch = stored.batch
            // The uplink before has counted what it received.
            if batch.seq >= settings.predecessor?.account.outbox.nextSeq ?? 0 {
                health.on(batch, log: log)
            }
            let filter = BeaconFilter(layers?.settings.filter ?? FilterSettings())
            home.on(batch) { filter.admits($0) }
            delivery.append(stored, isDecided: isDecided, at: now)
        case .radio(let radio): health.on(radio)
        case .controller(let controller):
            health.on(controller)
            layers?.on(controller, at: now)
        case .answer(let answer, let controller):
            let wall = clock == .synced ? UnixTime.now : nil
            post(layers?.on(answer, controller, at: now, wall: wall) ?? [])
        case .usage(let usage):
            health.on(usage)
            reportAccount(isAsked: true)
        case .reload: reload(at: now)
        case .stop: stop(at: now)
        }
    }

    private func post(_ orders: [ApplyRequest]) {
        for order in orders { port.post(.order(order)) }
        if let layers = layers?.takeLayers() { port.post(.layers(layers)) }
    }

    // MARK: Work that is due

    private func synchroniseLayers(at now: Instant) {
        // A stopping agent applies no further changes. It still reports the last one.
        if !shutdown.isStopping { post(layers?.tick(at: now) ?? []) }
        if canPublish, let report = layers?.takeReport() { publish(report) }
    }

    private func deliver(at now: Instant) {
        delivery.tick(at: now)
        // Nothing follows `offline`: not a stored batch either.
        while canPublish, let next = delivery.next(at: now, clock: stamp) {
            reportDecisions()
            publish(next)
        }
    }

    private func store(at now: Instant) {
        let maxSightings = layers.map { Int($0.settings.report.maxSightingsPerMessage) }
        // A stopping agent without a broker leaves all batches to the next start.
        if shutdown.isStopping, !delivery.isPatient, !session.isConnected {
            delivery.save(at: now, maxSightings: maxSightings)
        } else {
            delivery.store(at: now, clock: stamp, maxSightings: maxSightings)
        }
    }

    private func publishForHomeAssistant() {
        guard canPublish else { return }
        home.takeDue(at: .now).forEach(publish)
    }

    // MARK: The end

    private func stop(at now: Instant) {
        shutdown = .stopping(deadline: delivery.isPatient ? nil : now + settings.shutdownTime)
        session.cancelMigration()
        delivery.stopping()
        // The time is too short for a wait between attempts.
        session.retryNow(at: now)
    }

    private func continueShutdown() {
        let progress = Shutdown.Progress(
            unsaved: delivery.outbox.unsaved, isLiveDelivered: delivery.outbox.isLiveEmpty,
            unacknowledged: session.unacknowledged, isOffline: status.isOffline)
        switch shutdown.step(progress) {
        case .wait: break
        case .publishOffline: goOffline()
        case .disconnect: session.disconnect()
        }
    }
}

// MARK: - Clock and publications

extension Uplink {
    /// The wall clock for new messages; `nil` if batches have their wall time already.
    var stamp: Stamp? {
        settings.delivery.restamps ? Stamp(offset: Clocks.wallMinusBoot, clock: clock) : nil
    }

    var clock: ClockState {
        !settings.delivery.restamps || Clocks.isWallClockSynchronised ? .synced : .unsynced
    }

    /// Whether messages about the gateway may be published: the broker is connected and stays, and `offline` is not published.
    var canPublish: Bool { session.isConnected && !status.isOffline && !session.isMigrating }

    func publish(_ outgoing: Outgoing) {
        let item = RefusedMessages.Item.publication(outgoing.id, topic: outgoing.message.topic)
        guard !answers.withheld.contains(item) else {
            if outgoing.id == .reported { layers?.reportAnswered() }
            return
        }
        let isAnswered = outgoing.message.quality != .atMostOnce
        let token = isAnswered ? answers.add(outgoing) : nil
        do throws(PublishFailure) {
            try session.publish(outgoing.message, token: token)
        } catch {
            if let token { _ = answers.take(token) }
            // A lost connection reports its cause itself.
            guard case .refused(let code) = error else { return }
            answered(.init(id: outgoing.id, topic: outgoing.message.topic), code, at: .now)
        }
    }

    func goOffline() { if let last = status.goOffline(at: .now(clock)) { publish(last) } }
}
