import MQTT
import Posix
import Primitives
import Session

/// Connects and subscribes as a program does, with another client identifier.
struct BrokerProbe {
    private let settings: ConnectionSettings
    private let filters: [String]
    private let statusTopic: String
    private var reconnect: Reconnect

    private static let timeout = Duration.seconds(10)
    /// The time for retained messages after the last SUBACK.
    private static let retainedTime = Duration.milliseconds(500)
    /// The first attempts find out the protocol version.
    private static let mostAttempts = 4

    init(
        _ settings: ConnectionSettings, _ choice: Reconnect.Choice, filters: [String],
        statusTopic: String
    ) {
        self.settings = settings
        self.filters = filters
        self.statusTopic = statusTopic
        reconnect = Reconnect(choice, unansweredTime: .zero)
    }

    mutating func run() -> BrokerObservation {
        for attempt in 1...Self.mostAttempts {
            let failure: ConnectionFailure
            do throws(ConnectionFailure) {
                return try subscribe(Connection(to: settings, version: reconnect.version))
            } catch {
                failure = error
            }
            _ = reconnect.ended(failure.cause, at: .now, random: 0)
            let findsVersion =
                failure.cause == .closedUnanswered || failure.cause == .protocolViolation
                || failure.cause == .refused(.unsupportedProtocolVersion)
            if !findsVersion || attempt == Self.mostAttempts {
                return BrokerObservation(login: .failure(failure))
            }
        }
        return BrokerObservation(
            login: .failure(ConnectionFailure(address: settings.address, cause: .silent)))
    }

    private func subscribe(_ connection: Connection) throws(ConnectionFailure) -> BrokerObservation
    {
        var observation: BrokerObservation?
        var end = Instant.now + Self.timeout
        while Instant.now < end {
            var ready: Poll.Events = []
            if let interest = connection.interest {
                let next = Instant.now + .milliseconds(Connection.serviceInterval)
                let result = try? Poll.wait(for: [interest], until: min(end, next))
                ready = result?[interest.descriptor] ?? []
            }
            for event in connection.service(ready) {
                switch event {
                case .connected:
                    observation = BrokerObservation(login: .success(connection.version))
                    try? connection.subscribe(to: filters)
                case .subscribed(let filter, let reason):
                    observation?.answers[filter] = reason
                    if observation?.answers.count == filters.count {
                        end = .now + Self.retainedTime
                    }
                case .message(let message):
                    if message.isRetained || message.topic == statusTopic {
                        observation?.documents[message.topic] = message.payload
                    }
                    if message.topic == statusTopic, !message.isRetained {
                        observation?.hasRival = true
                    }
                case .oversized(let topic, _): observation?.documents[topic] = []
                case .ended(let failure):
                    guard var observation else { throw failure }
                    if case .takenOver = failure.cause { observation.hasRival = true }
                    return observation
                case .acknowledged: break
                }
            }
        }
        connection.disconnect()
        _ = connection.service([])
        guard let observation else {
            throw ConnectionFailure(address: settings.address, cause: .silent)
        }
        return observation
    }
}
