import MQTT
import Posix
import Primitives

/// A subcommand's way to its broker: one connection after the other, with the subscriptions renewed on each.
package final class BrokerLink {
    package enum Event {
        case message(Message)
        /// The connection was lost and will be tried again: one sentence, once.
        case trouble(String)
        case recovered
        /// The broker has confirmed every subscription of this connection.
        case subscribed
        /// The broker's answer to the publication with this token; none comes after the connection is lost.
        case acknowledged(token: UInt64, ReasonCode)
        /// A message that is larger than any that is read.
        case oversized(topic: String, bytes: Int)
        /// There is no use in going on: one sentence.
        case failed(String)
    }

    private let settings: ConnectionSettings
    private let filters: [String]
    private let quality: QualityOfService
    private var reconnect = Reconnect(.automatic)
    private var connection: Connection?
    private var nextAttempt: Int64 = 0
    private var attempts = 0
    private var hasTrouble = false
    /// Not sent yet, and not answered yet.
    private var unsentFilters: ArraySlice<String> = []
    private var unansweredFilters = 0
    /// Publications that the broker takes at a time.
    private var window = 0
    /// There was a connection once: from then on, what breaks is mended.
    package private(set) var wasConnected = false

    /// Attempts at the start, of which those that only find out the protocol's version are no failures.
    private static let firstAttempts = 4
    /// Subscriptions asked for at a time: each brings what is retained, and brokers throw away what a client is too slow
    /// to take (mosquitto beyond 1,000 messages).
    private static let filtersAtATime = 16
    /// Publications on their way at a time, whatever more the broker takes: what libmosquitto sends at once of itself,
    /// so that nothing waits inside the library.
    private static let publicationsAtATime = 20

    /// - Parameter quality: the best at which messages are delivered.
    package init(
        _ settings: ConnectionSettings, filters: [String],
        quality: QualityOfService = .atLeastOnce
    ) {
        self.settings = settings
        self.filters = filters
        self.quality = quality
    }

    /// `host:port`, for messages.
    package var address: String { "\(settings.address)" }

    /// What to poll for.
    package var interest: Poll.Interest? { connection?.interest }

    /// When `service` wants to be called again at the latest, in microseconds since boot.
    package func deadline(after now: Int64) -> Int64 {
        connection == nil ? nextAttempt : now + Int64(Connection.serviceInterval) * 1000
    }

    /// Does what is due.
    package func service(_ ready: Poll.Events, at now: Int64) -> [Event] {
        if connection == nil {
            guard now >= nextAttempt else { return [] }
            attempts += 1
            do throws(ConnectionFailure) {
                connection = try Connection(to: settings, version: reconnect.version)
            } catch {
                return ended(error, at: now)
            }
        }
        return (connection?.service(ready) ?? []).flatMap { take($0, at: now) }
    }

    /// Whether another publication may be sent now.
    package var takesPublications: Bool {
        guard let connection, connection.isConnected else { return false }
        return connection.unacknowledged < window
    }

    /// Publishes a message that is to be acknowledged.
    package func publish(_ message: Publication, token: UInt64) throws(PublishFailure) {
        guard let connection else { throw .notConnected }
        try connection.publish(message, token: token)
    }

    /// Says farewell to the broker, without waiting for an answer.
    package func leave() {
        connection?.disconnect()
        _ = connection?.service([])
    }

    private func take(_ event: ConnectionEvent, at now: Int64) -> [Event] {
        switch event {
        case .connected(let limits):
            reconnect.connected(at: Instant(microseconds: now))
            window = min(limits.receiveMaximum, Self.publicationsAtATime)
            unsentFilters = filters[...]
            unansweredFilters = filters.count
            // If this fails, the connection says why it ended.
            subscribe(atMost: Self.filtersAtATime)
            wasConnected = true
            defer { hasTrouble = false }
            return hasTrouble ? [.recovered] : []
        case .subscribed(let filter, let reason):
            guard !reason.isFailure else {
                let sentence = "refused the subscription to \(filter): \(reason)"
                return [.failed("broker \(settings.address) \(sentence)")]
            }
            unansweredFilters -= 1
            subscribe(atMost: 1)
            return unansweredFilters == 0 ? [.subscribed] : []
        case .message(let message): return [.message(message)]
        case .oversized(let topic, let bytes):
            return [.oversized(topic: topic, bytes: bytes)]
        case .acknowledged(let token, let reason):
            return token.map { [.acknowledged(token: $0, reason)] } ?? []
        case .ended(let failure): return ended(failure, at: now)
        }
    }

    private func subscribe(atMost count: Int) {
        let next = unsentFilters.prefix(count)
        unsentFilters = unsentFilters.dropFirst(count)
        try? connection?.subscribe(to: Array(next), quality: quality)
    }

    private func ended(_ failure: ConnectionFailure, at now: Int64) -> [Event] {
        connection = nil
        let wait = reconnect.ended(
            failure.cause, at: Instant(microseconds: now), random: Random.word())
        nextAttempt = now + wait.microseconds
        let sentence = failure.description.printable(limit: 400)
        if failure.isConfiguration { return [.failed(sentence)] }
        guard wasConnected else {
            // A broker without MQTT 5 may close the connection without a word, or say so.
            let findsVersion =
                failure.cause == .closedUnanswered
                || failure.cause == .refused(.unsupportedProtocolVersion)
            return findsVersion && attempts < Self.firstAttempts ? [] : [.failed(sentence)]
        }
        guard !hasTrouble else { return [] }
        hasTrouble = true
        return [.trouble("\(sentence); trying again")]
    }
}
