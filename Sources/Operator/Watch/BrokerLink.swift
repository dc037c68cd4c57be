import MQTT
import Posix

/// A watcher's way to its broker: one connection after the other, with the subscriptions renewed on each.
final class BrokerLink {
    enum Event {
        case message(Message)
        /// The connection was lost and will be tried again: one sentence, once.
        case trouble(String)
        case recovered
        /// A message that is larger than any that is read.
        case oversized(topic: String, bytes: Int)
        /// There is no use in going on: one sentence.
        case failed(String)
    }

    private let settings: ConnectionSettings
    private let filters: [String]
    private var reconnect = Reconnect(.automatic)
    private var connection: Connection?
    private var nextAttempt: Int64 = 0
    private var attempts = 0
    private var hasTrouble = false
    /// There was a connection once: from then on, what breaks is mended.
    private(set) var wasConnected = false

    /// Attempts at the start, of which those that only find out the protocol's version are no failures.
    private static let firstAttempts = 4

    init(_ settings: ConnectionSettings, filters: [String]) {
        self.settings = settings
        self.filters = filters
    }

    /// `host:port`, for messages.
    var address: String { "\(settings.address)" }

    /// What to poll for.
    var interest: Poll.Interest? { connection?.interest }

    /// When `service` wants to be called again at the latest, in microseconds since boot.
    func deadline(after now: Int64) -> Int64 {
        connection == nil ? nextAttempt : now + Int64(Connection.serviceInterval) * 1000
    }

    /// Does what is due.
    func service(_ ready: Poll.Events, at now: Int64) -> [Event] {
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

    /// Says farewell to the broker, without waiting for an answer.
    func leave() {
        connection?.disconnect()
        _ = connection?.service([])
    }

    private func take(_ event: ConnectionEvent, at now: Int64) -> [Event] {
        switch event {
        case .connected:
            reconnect.connected(at: now)
            do throws(PublishFailure) {
                try connection?.subscribe(to: filters)
            } catch {
                // The connection says why it ended.
                return []
            }
            wasConnected = true
            defer { hasTrouble = false }
            return hasTrouble ? [.recovered] : []
        case .subscribed(let filter, let reason):
            guard reason.isFailure else { return [] }
            return [
                .failed(
                    "broker \(settings.address) refused the subscription to \(filter): \(reason)")
            ]
        case .message(let message): return [.message(message)]
        case .oversized(let topic, let bytes):
            return [.oversized(topic: topic, bytes: bytes)]
        case .acknowledged: return []
        case .ended(let failure): return ended(failure, at: now)
        }
    }

    private func ended(_ failure: ConnectionFailure, at now: Int64) -> [Event] {
        connection = nil
        let wait = reconnect.ended(failure.cause, at: now, random: Random.word())
        nextAttempt = now + wait
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
