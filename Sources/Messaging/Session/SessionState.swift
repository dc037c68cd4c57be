import MQTT
import Posix
import Primitives

/// The state of a session with one of several brokers. It outlives the connections.
///
/// A value: it takes the events of connections, and answers what to send and when to connect next, where, and in which version.
/// `BrokerSession` carries that out.
struct SessionState {
    private enum Phase {
        /// The next attempt begins then.
        case waiting(until: Instant)
        case connecting
        case connected(since: Instant, BrokerAbilities)
    }

    private var settings: BrokerSession.Settings
    private var phase: Phase
    private var reconnect: Reconnect
    private var subscriptions: Subscriptions
    private var migration: BrokerMigration?
    private struct Reported: Equatable {
        let cause: ConnectionFailure.Cause
        let doubt: VersionDoubt?
        let isAdapted: Bool
    }

    /// Why attempts at each broker have failed since its last connection.
    private var reported: [Int: [Reported]] = [:]
    /// Whether the first attempt is over.
    private(set) var hasTried = false
    private var blame = PacketBlame()
    /// By the index of the broker.
    private var learned: [Int: LearnedAbilities] = [:]
    /// The number of connections.
    var connections: UInt64 = 0

    /// The number that libmosquitto sends immediately: no message waits in the library.
    private static let concurrentPublications = 20

    init(_ settings: BrokerSession.Settings, at now: Instant) {
        self.settings = settings
        phase = .waiting(until: now)
        reconnect = settings.reconnect
        subscriptions = Subscriptions(settings.filters, dispensable: settings.dispensable)
    }

    // MARK: Brokers

    var preferred: BrokerEndpoint { settings.broker }

    /// The preferred broker first.
    var brokers: [BrokerEndpoint] { [settings.broker] + settings.alternatives }

    /// The index of the broker in use, or of the next attempt.
    var brokerIndex: Int { reconnect.broker }

    var broker: BrokerEndpoint {
        let index = reconnect.broker - 1
        return settings.alternatives.indices.contains(index)
            ? settings.alternatives[index] : settings.broker
    }

    var isMigrating: Bool { migration != nil }

    /// Starts the migration to the brokers of a new configuration.
    mutating func migrate(to brokers: [BrokerEndpoint], at now: Instant) {
        migration = BrokerMigration(to: brokers, at: now)
    }

    mutating func cancelMigration() { migration = nil }

    /// The next step of a migration; `nil` without one.
    func migrationStep(
        unacknowledged: Int?, isOffline: Bool, at now: Instant
    ) -> BrokerMigration.Step? {
        migration?.step(unacknowledged: unacknowledged, isOffline: isOffline, at: now)
    }

    /// Ends the migration. The session then uses the new brokers, as after a start.
    ///
    /// - Returns: for each new broker, its index among the brokers before; `nil` if it was not one of them.
    mutating func switchBrokers(at now: Instant) -> [Int?]? {
        guard let brokers = migration?.brokers, let first = brokers.first else { return nil }
        let before = self.brokers
        migration = nil
        settings.broker = first
        settings.alternatives = Array(brokers.dropFirst())
        let previous = brokers.map { broker in before.firstIndex { $0.isSameClient(as: broker) } }
        let earlier = reconnect
        reconnect = settings.reconnect
        reconnect.inherit(from: earlier, previous, at: now)
        reported = [:]
        learned = [:]
        phase = .waiting(until: now)
        return previous
    }

    // MARK: Attempts

    /// When the next attempt begins; `nil` while one is in progress, and with a connection.
    var nextAttempt: Instant? { if case .waiting(let until) = phase { until } else { nil } }

    /// The version for an attempt that begins now; `nil` if none is due.
    mutating func beginAttempt(at now: Instant) -> ProtocolVersion? {
        guard case .waiting(let until) = phase, until <= now, migration == nil else { return nil }
        phase = .connecting
        return reconnect.version
    }

    /// The time for CONNACK in an attempt that begins now; `nil` for that of the settings.
    func answerLimit(at now: Instant) -> Duration? { reconnect.answerLimit(at: now) }

    /// Whether the broker in use gets no will, because it closes connections over it.
    var withholdsWill: Bool { settings.hasWill && !reconnect.hasWill }

    /// The will as the broker takes it.
    func adapted(_ will: Will?) -> Will? {
        guard let will, !withholdsWill else { return nil }
        return learned[brokerIndex, default: LearnedAbilities()].adapted(will)
    }

    /// The next attempt begins then, not after the wait.
    mutating func wait(until next: Instant) { phase = .waiting(until: next) }

    /// The next attempt does not wait.
    mutating func retryNow(at now: Instant) {
        if case .waiting = phase { phase = .waiting(until: now) }
    }

    // MARK: The connection

    /// What the broker declared about the present connection.
    var abilities: BrokerAbilities? {
        if case .connected(_, let abilities) = phase { abilities } else { nil }
    }

    /// The publications that may be unacknowledged at a time.
    var window: Int { abilities.map { min($0.receiveMaximum, Self.concurrentPublications) } ?? 0 }

    /// Whether an attempt asks a silent server whether it speaks HTTP. The question blocks the owner's loop: until the next
    /// connection, only a web server gets it again.
    var asksForHTTP: Bool {
        let silences: [ConnectionFailure.Cause] = [.silent, .connectUnanswered, .protocolViolation]
        return !reported[reconnect.broker, default: []].contains { silences.contains($0.cause) }
    }

    /// The broker accepts the connection.
    ///
    /// - Returns: the filters to subscribe to.
    mutating func connected(_ declared: BrokerAbilities, at now: Instant) -> [String] {
        learned[brokerIndex]?.connected()
        let abilities = learned[brokerIndex]?.restricted(declared) ?? declared
        phase = .connected(since: now, abilities)
        connections += 1
        hasTried = true
        reported[reconnect.broker] = nil
        reconnect.connected(at: now)
        return subscriptions.begin()
    }

    /// The broker answers a subscription.
    mutating func answered(_ filter: String, _ reason: ReasonCode) -> Subscriptions.Step {
        subscriptions.on(reason, for: filter)
    }

    /// The connection ends, or an attempt fails.
    ///
    /// - Parameter unanswered: the packets without an answer, in the order of sending.
    mutating func ended(
        _ failure: ConnectionFailure, unanswered: [UnansweredPacket] = [], at now: Instant,
        random: UInt64
    ) -> BrokerSession.End {
        hasTried = true
        let ending = isConnected ? blame.ended(failure.cause, unanswered) : nil
        let hasLearned = learned[brokerIndex, default: LearnedAbilities()]
            .learn(from: failure.cause, ending, unanswered, at: now)
        let isAdapted = hasLearned && !isConnected
        if ending?.isNew == true || hasLearned { reconnect.causeFound() }
        var length: Duration?
        if case .connected(let since, _) = phase { length = now - since }
        let broker = reconnect.broker
        let wait = reconnect.ended(failure.cause, at: now, random: random)
        phase = .waiting(until: now + wait)
        let doubt = reconnect.doubt
        let end = Reported(cause: failure.cause, doubt: doubt, isAdapted: isAdapted)
        let isNew = !reported[broker, default: []].contains(end)
        if isNew { reported[broker, default: []].append(end) }
        var report = doubt == nil && !isAdapted ? report(failure, isNew, length) : .none
        if case .subscription(let filter)? = ending?.packet, !subscriptions.omit(filter) {
            report = .failed(
                "broker \(failure.address) ends connections over the subscription to \(filter):"
                    + " "
                    + (ending?.reason?.subscriptionRemedy ?? "allow this user to read the topic"))
        }
        return BrokerSession.End(
            failure: failure, wait: wait, isNew: isNew, doubt: doubt, isAdapted: isAdapted,
            ending: hasLearned ? nil : ending, report: report)
    }

    private var isConnected: Bool { abilities != nil }

    /// A message as the broker takes it.
    func adapted(_ message: Publication) -> Publication {
        guard let abilities else { return message }
        return learned[brokerIndex, default: LearnedAbilities()].adapted(message, abilities)
    }

    /// Whether the broker would end the connection over the message's size.
    func isTooLarge(_ message: Publication, at now: Instant) -> Bool {
        learned[brokerIndex]?.isTooLarge(message, at: now) ?? false
    }

    /// Whether retained messages are tried again, because a stable connection makes the network the suspect.
    mutating func triesRetaining(at now: Instant) -> Bool {
        guard case .connected(let since, _) = phase, now - since >= Reconnect.stableTime else {
            return false
        }
        return learned[brokerIndex]?.beginTrial() ?? false
    }

    /// A message is sent, as the broker takes it.
    mutating func sent(_ message: Publication, token: UInt64?) {
        learned[brokerIndex]?.sent(message, token: token)
    }

    /// The broker acknowledges a message.
    ///
    /// - Returns: whether it keeps retained messages, against a suspicion.
    mutating func acknowledged(_ token: UInt64?) -> Bool {
        guard learned[brokerIndex]?.acknowledged(token) == true,
            case .connected(let since, var abilities) = phase
        else { return false }
        abilities.retains = true
        phase = .connected(since: since, abilities)
        return true
    }

    /// What a person or an operator is to know about an end.
    private func report(
        _ failure: ConnectionFailure, _ isNew: Bool, _ length: Duration?
    ) -> BrokerSession.End.Report {
        let message = failure.description.printable(limit: 400)
        if failure.isConfiguration { return .failed(message) }
        if case .takenOver = failure.cause {
            // To connect again would end the other program's connection.
            return .failed("\(message); \(settings.rivalHints.remedy)")
        }
        guard connections > 0 else { return .failed(message) }
        guard isNew else { return .none }
        let isBrief = length.map { $0 < Reconnect.stableTime } ?? false
        let mayBeRival = isBrief && failure.cause.isWithoutReason
        switch failure.cause {
        // The next connection would end in the same way.
        case .invalidPacket where isBrief: return .failed(message)
        case .invalidPacket, .process: return .lost("\(message); retrying")
        default: break
        }
        // Mosquitto 2.0.11 and MQTT 3.1.1 give no reason.
        return .lost(
            "\(message)\(mayBeRival ? "; \(settings.rivalHints.suspicion)" : ""); retrying")
    }
}
