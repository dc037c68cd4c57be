import MQTT
import Posix
import Primitives

/// The session of a program with one of its brokers: the agent, the server and all commands have this one.
///
/// `SessionState` decides. This class owns the name lookup and the present connection, and carries the decisions out. It belongs
/// to one thread. Its owner polls `interest`, and calls `service`, or `attempt` and `receive`, at `deadline` at the latest.
package final class BrokerSession {
    private var state: SessionState
    private let will: Will?
    private let quality: QualityOfService
    private var lookups: NameLookups
    private var connection: (any BrokerConnection)?
    /// Publications that a broker without QoS 1 does not acknowledge: they are sent when the socket has taken them.
    private var unconfirmed: [UInt64] = []
    /// The version of the attempt whose name lookup is in progress.
    private var lookingUp: ProtocolVersion?
    /// When the client certificate of the latest attempt expires; `nil` without one.
    package private(set) var certificateExpiresAt: UnixTime?

    package init(_ settings: Settings, at now: Instant = .now) {
        state = SessionState(settings, at: now)
        will = settings.will
        quality = settings.quality
        lookups = NameLookups(resolver: settings.resolver, limit: settings.lookupLimit)
    }

    // MARK: State

    /// The index of the broker in use, or of the next attempt; 0 for the preferred one.
    package var brokerIndex: Int { state.brokerIndex }

    /// The broker in use, or of the next attempt.
    package var broker: BrokerEndpoint { state.broker }

    /// All brokers, the preferred one first.
    package var brokers: [BrokerEndpoint] { state.brokers }

    /// `host:port` of the preferred broker.
    package var preferredAddress: String { state.preferred.connection.address }

    /// `host:port` of the broker in use, or of the next attempt.
    package var address: String { broker.connection.address }

    package var isConnected: Bool { connection?.isConnected == true }

    /// Whether the broker in use gets no will, because it closes connections over it.
    package var withholdsWill: Bool { state.withholdsWill }

    /// Whether the first attempt is over.
    package var hasTried: Bool { state.hasTried }

    /// The number of connections; of earlier processes as well, if the owner says so.
    package var connections: UInt64 {
        get { state.connections }
        set { state.connections = newValue }
    }

    /// Publications that the connected broker has not acknowledged; `nil` without a connection.
    package var unacknowledged: Int? {
        isConnected ? connection.map { $0.unacknowledged + unconfirmed.count } : nil
    }

    /// What the connected broker can do, as far as it declares or shows it; `nil` without a connection.
    package var abilities: BrokerAbilities? { state.abilities }

    // MARK: The loop

    /// The connection's socket, or the descriptor of the name lookup.
    package var interest: Poll.Interest? {
        if let connection { return connection.interest }
        return lookups.descriptor(of: state.brokerIndex).map { Poll.Interest($0) }
    }

    /// When to call `service`, or `attempt` and `receive`, at the latest.
    package func deadline(after now: Instant) -> Instant {
        // The client library needs calls for keep-alive and time-outs.
        let latest = now + .milliseconds(Connection.serviceInterval)
        // A connection that failed during a publication reports that in `receive`.
        if let connection {
            let isDue = connection.interest == nil || !unconfirmed.isEmpty && !connection.isWriting
            return isDue ? now : latest
        }
        return lookups.deadline ?? state.nextAttempt ?? latest
    }

    /// Connects, receives and sends what is due.
    package func service(_ ready: Poll.Events, at now: Instant) -> [Event] {
        guard connection == nil else { return receive(ready).flatMap { on($0, at: now) } }
        return attempt(at: now) { will }.map { on($0, at: now) } ?? []
    }

    /// Starts an attempt to connect if one is due.
    ///
    /// - Parameter will: the will of the connection, if any.
    /// - Returns: for `on`, why the attempt failed.
    package func attempt(at now: Instant, will: () -> Will?) -> ConnectionEvent? {
        guard let version = lookingUp ?? state.beginAttempt(at: now) else { return nil }
        lookingUp = nil
        var target = broker.connection
        target.connackTimeout = state.answerLimit(at: now)
        target.asksForHTTP = state.asksForHTTP
        switch lookups.resolve(target, of: state.brokerIndex, at: now) {
        case .pending:
            lookingUp = version
            return nil
        case .found: break
        case .notFound:
            return .ended(ConnectionFailure(address: target.address, cause: .hostNotFound))
        case .failed(let error):
            return .ended(ConnectionFailure(address: target.address, cause: .noThread(error)))
        }
        certificateExpiresAt = target.tls.flatMap { TLSStream.expiry(of: $0) }
        do throws(ConnectionFailure) {
            connection = try target.connect(version, will: state.adapted(will()))
            return nil
        } catch {
            return .ended(error)
        }
    }

    /// Reads and writes what is due. Each event is for `on`.
    package func receive(_ ready: Poll.Events) -> [ConnectionEvent] {
        let events = connection?.service(ready) ?? []
        guard let connection, connection.isConnected, !connection.isWriting else { return events }
        defer { unconfirmed = [] }
        let refused: [UInt64] = events.compactMap { event in
            guard case .acknowledged(let token, let reason) = event, reason.isFailure else {
                return nil
            }
            return token
        }
        let sent = unconfirmed.filter { !refused.contains($0) }
        return sent.map { .acknowledged(token: $0, .success) } + events
    }

    /// An event of the connection.
    ///
    /// - Parameter blamesLoss: whether a packet may be the cause of a loss without a reason.
    package func on(
        _ event: ConnectionEvent, at now: Instant, blamesLoss: Bool = true
    ) -> [Event] {
        switch event {
        case .connected(let declared):
            let isFirst = state.connections == 0
            send(state.connected(declared, at: now))
            return [.connected(state.abilities ?? declared, isFirst: isFirst)]
        case .subscribed(let filter, let reason):
            let answer = Event.subscription(filter: filter, reason)
            switch state.answered(filter, reason) {
            case .subscribe(let next):
                send(next)
                return [answer]
            case .complete: return [answer, .subscribed]
            case .refused:
                let message = "refused the subscription to \(filter): \(reason)"
                return [answer, .failed("broker \(address) \(message)")]
            }
        case .message(let message): return [.message(message)]
        case .oversized(let topic, let bytes): return [.oversized(topic: topic, bytes: bytes)]
        case .acknowledged(let token, let reason):
            let events = token.map { [Event.acknowledged(token: $0, reason)] } ?? []
            return events + (state.acknowledged(token) ? [.retains] : [])
        case .ended(let failure):
            let isBlamed = blamesLoss || !failure.cause.isWithoutReason
            let unanswered = isBlamed ? connection?.unanswered ?? [] : []
            drop()
            // During a migration the cause does not matter.
            if state.isMigrating { return switchBrokers(at: now) }
            let end = state.ended(
                failure, unanswered: unanswered, at: now, random: Random.word())
            return switch end.report {
            case .none: [.ended(end)]
            case .lost(let message): [.ended(end), .lost(message)]
            case .failed(let message): [.ended(end), .failed(message)]
            }
        }
    }

    private func drop() {
        connection = nil
        unconfirmed = []
    }

    /// If this fails, the connection reports why it ended.
    private func send(_ filters: [String]) {
        guard !filters.isEmpty else { return }
        try? connection?.subscribe(to: filters, quality: quality)
    }

    // MARK: Messages

    /// Whether the broker accepts another publication now.
    package var takesPublications: Bool {
        guard let connection, connection.isConnected else { return false }
        return connection.unacknowledged + unconfirmed.count < state.window
    }

    /// Publishes a message. The broker's answer to a QoS 1 message returns `token`.
    ///
    /// - Throws: the message was not sent. A lost connection reports its cause in `receive`.
    package func publish(_ message: Publication, token: UInt64?) throws(PublishFailure) {
        guard let connection else { throw .notConnected }
        guard !state.isTooLarge(message, at: .now) else { throw .refused(.packetTooLarge) }
        let adapted = state.adapted(message)
        try connection.publish(adapted, token: token)
        state.sent(adapted, token: token)
        if let token, adapted.quality != message.quality { unconfirmed.append(token) }
    }

    /// Whether the owner is to publish a retained message, which the session then tries: it withheld them, because
    /// connections ended over one.
    package func triesRetaining(at now: Instant) -> Bool {
        unacknowledged == 0 && state.triesRetaining(at: now)
    }

    /// Subscribes to filters of the present connection only, which the broker may refuse.
    package func subscribe(to filters: [String]) throws(PublishFailure) {
        try connection?.subscribe(to: filters, quality: quality)
    }

    /// Ends subscriptions that an earlier connection of the session has made.
    package func unsubscribe(from filters: [String]) {
        try? connection?.unsubscribe(from: filters)
    }

    /// Messages that wait for `acknowledge`, with `ConnectionSettings.reading`.
    package var unstored: Int { connection?.unstored ?? 0 }

    /// Whether no message follows before `acknowledge`.
    package var awaitsAcknowledgement: Bool { connection?.awaitsAcknowledgement ?? false }

    /// Acknowledges all messages so far: their reader has stored them. Until then, nothing is sent to the broker.
    package func acknowledge() { connection?.acknowledge() }

    // MARK: Ends

    /// Sends DISCONNECT; `receive` then returns the end.
    package func disconnect() { connection?.disconnect() }

    /// Sends DISCONNECT, without waiting for an answer of the broker.
    package func leave() {
        connection?.leave()
    }

    /// Ends the connection without acknowledgements: the broker sends the messages again after the next attempt.
    package func interrupt(until next: Instant) {
        guard connection != nil else { return }
        drop()
        state.wait(until: next)
    }

    /// The next attempt does not wait.
    package func retryNow(at now: Instant) { state.retryNow(at: now) }

    // MARK: Other brokers

    package var isMigrating: Bool { state.isMigrating }

    /// Starts the migration to the brokers of a new configuration.
    package func migrate(to brokers: [BrokerEndpoint], at now: Instant) {
        state.migrate(to: brokers, at: now)
    }

    package func cancelMigration() { state.cancelMigration() }

    /// The next step of a migration; `nil` without one.
    package func migrationStep(isOffline: Bool, at now: Instant) -> BrokerMigration.Step? {
        state.migrationStep(unacknowledged: unacknowledged, isOffline: isOffline, at: now)
    }

    /// Drops the connection, and uses the brokers of the migration.
    package func switchBrokers(at now: Instant) -> [Event] {
        guard let previous = state.switchBrokers(at: now) else { return [] }
        drop()
        lookingUp = nil
        lookups.removeAll()
        return [.switched(previous: previous)]
    }
}
