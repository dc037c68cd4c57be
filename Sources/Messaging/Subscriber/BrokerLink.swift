import MQTT
import Posix
import Primitives

/// A connection to a broker that is renewed after each loss, with its subscriptions.
package final class BrokerLink {
    package enum Event {
        /// The first connection.
        case connected
        case message(Message)
        /// The connection was lost, or another attempt fails for another reason; the next one follows. Each reason is sent once
        /// a loss.
        case trouble(String)
        /// The first connection after `trouble`, or after `failed` of an earlier connection.
        case recovered
        /// The broker has confirmed every subscription of this connection.
        case subscribed
        /// The broker's answer to a publication. Publications of a lost connection get no answer.
        case acknowledged(token: UInt64, ReasonCode)
        /// A message above the size limit, which is not delivered.
        case oversized(topic: String, bytes: Int)
        /// An error that another attempt does not remove.
        case failed(String)
    }

    private let settings: ConnectionSettings
    private let quality: QualityOfService
    private let will: Will?
    private let rivalHints: RivalHints
    private var reconnect: Reconnect
    private var connection: Connection?
    private var nextAttempt = Instant(microseconds: 0)
    private var attempts = 0
    private var hasTrouble = false
    /// Why attempts have failed since the loss.
    private var causes: [ConnectionFailure.Cause] = []
    private var connectedAt: Instant?
    private var subscriptions: LinkSubscriptions
    /// The broker's limit of unacknowledged publications.
    private var window = 0
    /// After the first connection, every loss is followed by another attempt.
    package private(set) var wasConnected = false

    /// The first attempts find out the protocol version.
    private static let firstAttempts = 4
    /// The number that libmosquitto sends immediately: no message waits in the library.
    private static let concurrentPublications = 20

    /// - Parameters:
    ///   - version: the version of the protocol.
    ///   - dispensable: the filters that a broker may refuse.
    ///   - quality: the highest quality of service of delivered messages.
    package init(
        _ settings: ConnectionSettings, version: Reconnect.Choice = .automatic, filters: [String],
        dispensable: Set<String> = [],
        quality: QualityOfService = .atLeastOnce, will: Will? = nil,
        rivalHints: RivalHints = .credentials
    ) {
        self.settings = settings
        reconnect = Reconnect(version, unansweredTime: .zero)
        subscriptions = LinkSubscriptions(filters, dispensable: dispensable)
        self.quality = quality
        self.will = will
        self.rivalHints = rivalHints
    }

    /// `host:port`, for messages.
    package var address: String { "\(settings.address)" }

    /// The descriptor and events to poll for.
    package var interest: Poll.Interest? { connection?.interest }

    /// The latest time of the next `service`.
    package func deadline(after now: Instant) -> Instant {
        connection == nil ? nextAttempt : now + .milliseconds(Connection.serviceInterval)
    }

    /// Connects, receives and sends what is due.
    package func service(_ ready: Poll.Events, at now: Instant) -> [Event] {
        if connection == nil {
            guard now >= nextAttempt else { return [] }
            attempts += 1
            do throws(ConnectionFailure) {
                connection = try Connection(to: settings, version: reconnect.version, will: will)
            } catch {
                return ended(error, at: now)
            }
        }
        return (connection?.service(ready) ?? []).flatMap { on($0, at: now) }
    }

    /// Whether the broker accepts another publication now.
    package var takesPublications: Bool {
        guard let connection, connection.isConnected else { return false }
        return connection.unacknowledged < window
    }

    /// Publishes a message that the broker acknowledges.
    package func publish(_ message: Publication, token: UInt64) throws(PublishFailure) {
        guard let connection else { throw .notConnected }
        try connection.publish(message, token: token)
    }

    /// Messages that wait for `acknowledge`, with `ConnectionSettings.reading`.
    package var unstored: Int { connection?.unstored ?? 0 }

    /// Acknowledges all messages so far: their reader has stored them. Until then, nothing is sent to the broker.
    package func acknowledge() { connection?.acknowledge() }

    /// Ends the connection without acknowledgements: the broker sends the messages again after the next attempt.
    package func interrupt(until next: Instant) {
        guard connection != nil else { return }
        connection = nil
        nextAttempt = next
        hasTrouble = true
    }

    /// Ends subscriptions that an earlier connection of the session has made.
    package func unsubscribe(from filters: [String]) {
        try? connection?.unsubscribe(from: filters)
    }

    /// Sends DISCONNECT, without waiting for an answer.
    package func leave() {
        connection?.disconnect()
        _ = connection?.service([])
    }

    private func on(_ event: ConnectionEvent, at now: Instant) -> [Event] {
        switch event {
        case .connected(let limits):
            reconnect.connected(at: now)
            connectedAt = now
            window = min(limits.receiveMaximum, Self.concurrentPublications)
            subscribe(to: subscriptions.begin())
            defer { (wasConnected, hasTrouble, causes) = (true, false, []) }
            return wasConnected ? hasTrouble ? [.recovered] : [] : [.connected]
        case .subscribed(let filter, let reason):
            guard let next = subscriptions.on(reason, for: filter) else {
                let message = "refused the subscription to \(filter): \(reason)"
                return [.failed("broker \(settings.address) \(message)")]
            }
            subscribe(to: next)
            return subscriptions.isComplete ? [.subscribed] : []
        case .message(let message): return [.message(message)]
        case .oversized(let topic, let bytes):
            return [.oversized(topic: topic, bytes: bytes)]
        case .acknowledged(let token, let reason):
            return token.map { [.acknowledged(token: $0, reason)] } ?? []
        case .ended(let failure): return ended(failure, at: now)
        }
    }

    /// If this fails, the connection reports why it ended.
    private func subscribe(to filters: [String]) {
        try? connection?.subscribe(to: filters, quality: quality)
    }

    private func ended(_ failure: ConnectionFailure, at now: Instant) -> [Event] {
        connection = nil
        let wait = reconnect.ended(failure.cause, at: now, random: Random.word())
        nextAttempt = now + wait
        let message = failure.description.printable(limit: 400)
        defer { hasTrouble = hasTrouble || wasConnected }
        if failure.isConfiguration { return [.failed(message)] }
        if case .takenOver = failure.cause {
            // To connect again would end the other program's connection.
            return [.failed("\(message); \(rivalHints.remedy)")]
        }
        guard wasConnected else {
            // A broker without MQTT 5 closes the connection or refuses the version.
            let findsVersion =
                failure.cause == .closedUnanswered
                || failure.cause == .refused(.unsupportedProtocolVersion)
            return findsVersion && attempts < Self.firstAttempts ? [] : [.failed(message)]
        }
        guard !causes.contains(failure.cause) else { return [] }
        causes.append(failure.cause)
        // Mosquitto 2.0.11 and MQTT 3.1.1 give no reason.
        let isBrief = !hasTrouble && (connectedAt.map { now - $0 < Reconnect.stableTime } ?? false)
        let hint = isBrief ? "; \(rivalHints.suspicion)" : ""
        return [.trouble("\(message)\(hint); retrying")]
    }
}
