import Contract
import MQTT
import Outbox
import Posix
import Primitives
import Session
import Sightings

/// The broker's side of the loop: attempts to connect, events of the connection, and answers to publications.
extension Uplink {
    func connectIfDue(at now: Instant) {
        guard !shutdown.isStopping || delivery.outbox.unsaved > 0 else { return }
        let failure = session.attempt(at: now) { status.will(at: .now(clock)) }
        if let failure { on(failure, at: now) }
    }

    func serve(_ ready: Poll.Ready, at now: Instant) {
        for event in session.receive(ready[session.interest?.descriptor]) { on(event, at: now) }
    }

    private func on(_ event: ConnectionEvent, at now: Instant) {
        let event = explained(event, at: now)
        let isRivalSeen = duplicates.mayExplainLoss(at: now)
        for event in session.on(event, at: now, blamesLoss: !isRivalSeen) { on(event, at: now) }
    }

    /// Names a takeover as the cause of a loss that another agent with our name explains.
    private func explained(_ event: ConnectionEvent, at now: Instant) -> ConnectionEvent {
        guard case .ended(let failure) = event, !session.isMigrating else { return event }
        let (cause, notice) = duplicates.connectionEnded(
            failure.cause, clientID: session.broker.connection.clientID,
            broker: session.brokerIndex, at: now, time: WallTime.now(clock).synchronised)
        if let notice { log(notice) }
        return .ended(ConnectionFailure(address: failure.address, cause: cause))
    }

    private func on(_ event: BrokerSession.Event, at now: Instant) {
        switch event {
        case .connected(let abilities, _): connected(abilities, at: now)
        case .acknowledged(let token, let code):
            guard let publication = answers.take(token) else { break }
            answered(publication, code, at: now)
        case .subscription(let topic, let code): subscriptionAnswered(topic, code)
        case .message(let message): received(message, at: now)
        case .oversized(let topic, let bytes):
            guard let layer = settings.topics.layer(of: topic) else { break }
            layers?.receivedOversized(layer, bytes: bytes)
        case .ended(let end):
            if let ending = end.ending { avoid(ending, at: now) }
            connectionLost(at: now)
            log(end)
        case .retains:
            layers?.reportRefused()
            home.connected()
        case .switched(let previous):
            connectionLost(at: now)
            duplicates.brokersChanged(previous: previous)
            answers.brokersChanged()
        case .subscribed, .lost, .failed: break
        }
    }

    /// Publishes the status after a connection and after each change.
    func announce() {
        guard canPublish else { return }
        let state: StatusMessage.State = health.radio.isDegraded ? .degraded : .online
        if let update = status.update(state, at: .now(clock)) { publish(update) }
    }

    private func connected(_ abilities: BrokerAbilities, at now: Instant) {
        log.info(
            "MQTT connected",
            ["broker": session.address, "mqtt": abilities.version])
        for restriction in answers.new(abilities.restrictions(for: nil)) {
            log.warning("\(restriction)", ["broker": session.address])
        }
        delivery.connected(abilities, at: now)
        status.connected()
        // All of them are sent on each connection.
        answers.refused = RefusedMessages()
        home.connected()
        if session.withholdsWill {
            log.warning(
                "broker ends connections over a will: without one, it does not report a sudden loss of this gateway;"
                    + " allow the gateway to publish its status, retained",
                ["topic": status.topic])
        }
        let time = WallTime.now(clock)
        duplicates.connected(to: session.brokerIndex, at: now, time: time.synchronised)
        if session.connections == 1, time.clock == .unsynced, delivery.outbox.mayDelay {
            log.info(
                "clock not synchronised: messages wait",
                ["seconds": settings.delivery.limits.clockSyncDelay.wholeSeconds])
        }
        subscribe()
    }

    /// Logs a failed connection or attempt, each cause once.
    private func log(_ end: BrokerSession.End) {
        let waiting = delivery.outbox.depth
        let cause = end.failure.cause
        if case .noThread(let error) = cause {
            log.error("can't start a name lookup: no thread available", ["reason": error])
        }
        guard cause != .requested, end.isNew else { return }
        if let doubt = end.doubt {
            let isSure = doubt == .refused
            log.info(
                isSure
                    ? "broker does not support MQTT 5: using MQTT 3.1.1"
                    : "broker may not support MQTT 5: trying again, then MQTT 3.1.1",
                ["broker": end.failure.address, "reason": doubt])
        } else if end.isAdapted {
            log.info(
                "broker refuses the will as it is: trying it without RETAIN, or with QoS 0",
                ["broker": end.failure.address, "reason": end.failure.description])
        } else if case .takenOver = cause {
            log.warning(
                end.failure.description,
                ["waiting": waiting, "retryAfterSeconds": end.wait.wholeSeconds])
        } else {
            log.warning(end.failure.description, ["waiting": waiting])
        }
    }

    private func connectionLost(at now: Instant) {
        answers.connectionLost()
        layers?.connectionLost()
        delivery.connectionLost(at: now)
    }

    // MARK: Subscriptions

    /// Subscribes before the first message: our status must not replace an earlier one unseen.
    private func subscribe() {
        let topics =
            (settings.detectsDuplicates ? [status.topic] : []) + (layers?.connected() ?? [])
        subscribe(to: topics)
        subscribeToDiscovery()
    }

    /// - Returns: whether the subscriptions were sent. A lost connection reports its cause itself.
    @discardableResult
    private func subscribe(to topics: [String]) -> Bool {
        let topics = topics.filter { !answers.withheld.contains(.subscription($0)) }
        guard !topics.isEmpty else { return false }
        do throws(PublishFailure) {
            try session.subscribe(to: topics)
            return true
        } catch {
            guard case .refused(let code) = error else { return false }
            log.error("can't subscribe to the gateway's topics", ["reason": code])
            return false
        }
    }

    func subscribeToDiscovery() {
        let isAsked = home.discoveryTopic.map { subscribe(to: [$0]) } ?? false
        home.subscribed(isAsked)
    }

    private func received(_ message: Message, at now: Instant) {
        if message.topic == status.topic {
            status.received(message)
            if let notice = duplicates.received(message, from: session.brokerIndex, at: now) {
                log(notice)
            }
        } else if message.topic == home.discoveryTopic {
            let answers = home.received(message)
            if canPublish { answers.forEach(publish) }
        } else if let layer = settings.topics.layer(of: message.topic) {
            layers?.received(message.payload, of: layer, at: now)
        }
    }

    private func subscriptionAnswered(_ topic: String, _ code: ReasonCode) {
        let isDiscovery = topic == home.discoveryTopic
        if isDiscovery { home.subscriptionAnswered() }
        answers.refused.on(code, of: .subscription(topic), at: .now, random: Random.word())
        guard answers.subscriptionRefusals.on(code, topic: topic) else { return }
        let remedy = code.subscriptionRemedy ?? "allow the gateway to read the topic"
        if isDiscovery {
            log.warning(
                "broker refused the Home Assistant subscription: removed trackers stay visible; \(remedy)",
                ["topic": topic, "reason": code])
        } else if topic == status.topic {
            log.debug(
                "broker refused the status subscription: duplicate gateways are not detected",
                ["topic": topic, "reason": code])
        } else {
            log.error(
                "broker refused a configuration subscription: documents of this layer are not received; \(remedy)",
                ["topic": topic, "reason": code])
        }
    }

    private func log(_ notice: DuplicateClientMonitor.Notice) {
        switch notice {
        case .sessionKnown(let session):
            log.info("session of the duplicate gateway found", ["session": session])
        case .duplicate(let name):
            log.error(
                "duplicate gateway: another agent uses this gateway's name; set a unique gateway.id on each gateway"
                    + " (is this SD card a copy?)",
                [
                    "gateway": settings.topics.place,
                    "client": session.broker.connection.clientID, "session": name ?? "unknown",
                    "broker": session.address,
                ])
        }
    }

    // MARK: Answers

    /// The broker, or the client library before it, answers a publication.
    func answered(
        _ publication: UnansweredPublications.Publication, _ code: ReasonCode, at now: Instant
    ) {
        if answers.refusals.on(code, topic: publication.topic) {
            log.error(
                "broker refused a message" + Self.remedy(for: code, of: publication.id),
                [
                    "topic": publication.topic, "reason": code,
                    "broker": session.address,
                ])
        }
        if case .batch = publication.id {
        } else {
            let item = RefusedMessages.Item.publication(publication.id, topic: publication.topic)
            answers.refused.on(code, of: item, at: now, random: Random.word())
        }
        switch publication.id {
        case .status:
            if !code.isFailure {
                duplicates.statusAcknowledged(by: session.brokerIndex, at: status.writtenAt)
            }
        case .reported: layers?.reportAnswered()
        case .batch(let id): delivery.answered(id, code, at: now, random: Random.word())
        case .health, .trackers, .discovery: break
        }
    }

    /// Sends refused messages and subscriptions again.
    func repeatRefused(at now: Instant) {
        guard canPublish else { return }
        for item in answers.refused.takeDue(at: now) { sendAgain(item) }
        if session.triesRetaining(at: now) { return status.refused() }
        // Alone: if the connection ends, this item is the cause.
        guard session.unacknowledged == 0 else { return }
        if let item = answers.withheld.takeDue(at: now) { sendAgain(item) }
    }

    private func sendAgain(_ item: RefusedMessages.Item) {
        switch item {
        case .publication(.status, _): status.refused()
        case .publication(.reported, _): layers?.reportRefused()
        case .publication(let id, let topic): home.refused(id, topic: topic)
        case .subscription(let topic) where topic == home.discoveryTopic:
            subscribeToDiscovery()
        case .subscription(let topic): subscribe(to: [topic])
        }
    }

    private static func remedy(for code: ReasonCode, of publication: PublicationID) -> String {
        switch (code, publication) {
        case (.notAuthorised, _): "; allow this gateway to write to the topic in the access list"
        case (.packetTooLarge, .batch):
            "; lower report.maxSightingsPerMessage, or raise the broker's limit"
        case (.packetTooLarge, _): "; raise the broker's limit"
        case _ where code.mayPass: "; retrying"
        default: ""
        }
    }

    // MARK: Other brokers

    /// Continues the migration to the brokers of a new configuration.
    func migrate(at now: Instant) {
        switch session.migrationStep(isOffline: status.isOffline, at: now) {
        case nil, .wait: break
        case .publishOffline: goOffline()
        case .disconnect: session.disconnect()
        case .switchBrokers:
            // Without `offline`: if the broker is still there, it publishes the will.
            for event in session.switchBrokers(at: now) { on(event, at: now) }
        }
    }
}
