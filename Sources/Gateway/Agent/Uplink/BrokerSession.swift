import Logging
import MQTT
import Posix
import Primitives

/// The connection to one of the brokers: name lookup, connection attempts, publications without an answer, and the migration
/// to other brokers.
package struct BrokerSession {
    /// How to connect.
    package struct Settings: Sendable {
        /// The preferred broker.
        package var broker: BrokerEndpoint
        /// The other brokers, in the order of attempts.
        package var alternatives: [BrokerEndpoint] = []
        /// The waits between attempts.
        package var backoff = Backoff()
        /// The longest wait after another client took over the connection, a quarter more or less.
        package var takeoverPause = Reconnect.takeoverPause
        package var resolver = Lookup.system
        /// The limit for a name lookup. Then the next broker is tried.
        package var lookupLimit = Duration.seconds(20)

        package init(_ broker: BrokerEndpoint) { self.broker = broker }

        /// Uses client identifiers of a capture's own: a broker would disconnect the gateway that has the same one.
        package mutating func identifyReplay() {
            broker.connection.clientID += Self.replaySuffix
            for index in alternatives.indices {
                alternatives[index].connection.clientID += Self.replaySuffix
            }
        }

        private static let replaySuffix = "/replay"

        fileprivate var reconnect: Reconnect {
            Reconnect(
                broker.protocolChoice, alternatives: alternatives.map(\.protocolChoice),
                backoff: backoff, takeoverPause: takeoverPause)
        }
    }

    /// What happens on the connection.
    enum Event: Equatable {
        case connected(BrokerLimits)
        case answered(UnansweredPublications.Publication, ReasonCode)
        case subscribed(topic: String, ReasonCode)
        case message(Message)
        case oversized(topic: String, bytes: Int)
        case ended(ConnectionFailure)
    }

    private var settings: Settings
    private let log: Log
    private var reconnect: Reconnect
    private var lookups: NameLookups
    private var connection: Connection?
    /// When to connect next.
    private var retry: Instant
    private var unanswered = UnansweredPublications()
    private var migration: BrokerMigration?
    /// The latest failure of each broker in the log.
    private var logged: [Int: ConnectionFailure] = [:]
    var connections: UInt64 = 0
    /// Whether the first attempt is over.
    private(set) var hasTried = false
    /// When the client certificate of the latest attempt expires, in milliseconds since the epoch; `nil` without one.
    private(set) var certificateExpiresAt: UnixTime?

    init(_ settings: Settings, at now: Instant, log: Log) {
        self.settings = settings
        self.log = log
        reconnect = settings.reconnect
        lookups = NameLookups(resolver: settings.resolver, limit: settings.lookupLimit)
        retry = now
    }

    /// The index of the broker in use, or of the next attempt; 0 for the preferred one.
    var brokerIndex: Int { reconnect.broker }

    /// The broker in use, or of the next attempt.
    var broker: BrokerEndpoint {
        let index = reconnect.broker - 1
        return settings.alternatives.indices.contains(index)
            ? settings.alternatives[index] : settings.broker
    }

    var preferredBroker: BrokerEndpoint { settings.broker }
    var brokerCount: Int { 1 + settings.alternatives.count }
    var isConnected: Bool { connection?.isConnected == true }
    var isMigrating: Bool { migration != nil }

    /// Publications that the connected broker has not acknowledged; `nil` without a connection.
    var unacknowledged: Int? { isConnected ? connection?.unacknowledged : nil }

    /// The connection's socket, or the descriptor of the name lookup.
    var interest: Poll.Interest? {
        if let connection { return connection.interest }
        return lookups.descriptor(of: reconnect.broker).map { Poll.Interest($0) }
    }

    /// When to call `connect` or `service` at the latest; `nil` if only the descriptor matters.
    func deadline(at now: Instant) -> Instant? {
        // A connection that failed during a publication reports that in `service`.
        if let connection { return connection.interest == nil ? now : nil }
        return lookups.deadline ?? retry
    }
}

// MARK: - Attempts

extension BrokerSession {
    /// Starts an attempt to connect if one is due.
    ///
    /// - Parameter will: the will of the connection, if any.
    /// - Returns: why the attempt failed.
    mutating func connectIfDue(at now: Instant, will: () -> Will?) -> ConnectionFailure? {
        guard connection == nil, migration == nil, retry <= now else { return nil }
        let target = broker.connection
        switch lookups.resolve(target, of: reconnect.broker, at: now) {
        case .pending: return nil
        case .found: break
        case .notFound: return ConnectionFailure(address: target.address, cause: .hostNotFound)
        case .failed(let error):
            log.error("can't start a name lookup: no thread available", ["reason": error])
            return ConnectionFailure(address: target.address, cause: .hostNotFound)
        }
        certificateExpiresAt = target.tls.flatMap { TLSStream.expiry(of: $0) }
        do throws(ConnectionFailure) {
            connection = try Connection(to: target, version: reconnect.version, will: will())
            return nil
        } catch {
            return error
        }
    }

    /// The broker accepts the connection.
    mutating func connected(_ limits: BrokerLimits, at now: Instant) {
        connections += 1
        hasTried = true
        logged[reconnect.broker] = nil
        reconnect.connected(at: now)
        log.info(
            "MQTT connected",
            [
                "broker": broker.connection.address,
                "mqtt": limits.version == .v5 ? "5" : "3.1.1",
            ])
    }

    /// A connection or an attempt failed: schedules the next attempt, and logs a new cause once.
    ///
    /// - Parameter waiting: batches in the outbox, for the log.
    mutating func failed(
        _ failure: ConnectionFailure, at now: Instant, random: UInt64, waiting: Int
    ) {
        hasTried = true
        let broker = reconnect.broker
        let wait = reconnect.ended(failure.cause, at: now, random: random)
        retry = now + wait
        guard failure.cause != .requested, failure != logged[broker] else { return }
        logged[broker] = failure
        if case .takenOver = failure.cause {
            log.warning(
                failure.description, ["waiting": waiting, "retryAfterSeconds": wait.wholeSeconds])
        } else {
            log.warning(failure.description, ["waiting": waiting])
        }
    }

    /// The next attempt does not wait.
    mutating func retryNow(at now: Instant) { retry = now }
}

// MARK: - The connection

extension BrokerSession {
    /// Reads and writes what is due.
    mutating func service(_ ready: Poll.Ready) -> [Event] {
        guard let connection else { return [] }
        return connection.service(ready[connection.interest?.descriptor]).compactMap { event in
            switch event {
            case .connected(let limits): return .connected(limits)
            case .acknowledged(let token, let code):
                guard let token, let publication = unanswered.remove(token) else { return nil }
                return .answered(publication, code)
            case .subscribed(let topic, let code): return .subscribed(topic: topic, code)
            case .message(let message): return .message(message)
            case .oversized(let topic, let bytes): return .oversized(topic: topic, bytes: bytes)
            case .ended(let failure): return .ended(failure)
            }
        }
    }

    /// Sends a message; without a connection it does nothing.
    ///
    /// - Returns: the reason if the message breaks a rule or a limit of the broker and is not sent.
    mutating func publish(_ outgoing: Outgoing) -> ReasonCode? {
        guard let connection else { return nil }
        let isAnswered = outgoing.message.quality != .atMostOnce
        let token = isAnswered ? unanswered.add(outgoing) : nil
        do throws(PublishFailure) {
            try connection.publish(outgoing.message, token: token)
            return nil
        } catch {
            if let token { _ = unanswered.remove(token) }
            // A lost connection reports its cause in `service`.
            guard case .refused(let code) = error else { return nil }
            return code
        }
    }

    /// Subscribes to topics.
    ///
    /// - Returns: whether the subscriptions were sent.
    func subscribe(to topics: [String]) -> Bool {
        do throws(PublishFailure) {
            try connection?.subscribe(to: topics)
            return true
        } catch {
            // A lost connection reports its cause in `service`.
            guard case .refused(let code) = error else { return false }
            log.error("can't subscribe to the gateway's topics", ["reason": code])
            return false
        }
    }

    func disconnect() { connection?.disconnect() }

    /// Forgets the connection and everything that it did not acknowledge.
    mutating func dropConnection() {
        connection = nil
        unanswered.removeAll()
    }
}

// MARK: - Other brokers

extension BrokerSession {
    /// Starts the migration to the brokers of a new configuration.
    mutating func migrate(to brokers: [BrokerEndpoint], at now: Instant) {
        migration = BrokerMigration(to: brokers, at: now)
    }

    mutating func cancelMigration() { migration = nil }

    /// The next step of a migration; `nil` without one.
    func migrationStep(isOffline: Bool, at now: Instant) -> BrokerMigration.Step? {
        migration?.step(unacknowledged: unacknowledged, isOffline: isOffline, at: now)
    }

    /// Ends the migration. The session then uses the new brokers, as after a start.
    ///
    /// - Returns: for each new broker, its index among the brokers before; `nil` if it was not one of them.
    mutating func switchBrokers(at now: Instant) -> [Int?]? {
        guard let brokers = migration?.brokers, let first = brokers.first else { return nil }
        migration = nil
        let before = [settings.broker] + settings.alternatives
        settings.broker = first
        settings.alternatives = Array(brokers.dropFirst())
        reconnect = settings.reconnect
        lookups.removeAll()
        logged = [:]
        retry = now
        return brokers.map { broker in before.firstIndex { $0.isSameClient(as: broker) } }
    }
}
