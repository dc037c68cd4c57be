import Configuration
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

    init(
        _ settings: ConnectionSettings, _ choice: Reconnect.Choice, filters: [String],
        statusTopic: String
    ) {
        self.settings = settings
        self.filters = filters
        self.statusTopic = statusTopic
        reconnect = Reconnect(choice, patience: 1)
    }

    mutating func run() -> BrokerObservation {
        while true {
            var settings = settings
            settings.connackTimeout = reconnect.answerLimit(at: .now)
            do throws(ConnectionFailure) {
                return try subscribe(settings.connect(reconnect.version))
            } catch {
                _ = reconnect.ended(error.cause, at: .now, random: 0)
                // Another attempt finds out the version.
                if reconnect.doubt == nil { return BrokerObservation(login: .failure(error)) }
            }
        }
    }

    private func subscribe(
        _ connection: any BrokerConnection
    ) throws(ConnectionFailure) -> BrokerObservation {
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
                case .connected(let abilities):
                    observation = BrokerObservation(login: .success(abilities))
                    try? connection.subscribe(to: filters, quality: .atLeastOnce)
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
                    guard var observation, failure.cause != .invalidPacket else { throw failure }
                    if case .takenOver = failure.cause { observation.hasRival = true }
                    return observation
                case .acknowledged: break
                }
            }
        }
        connection.leave()
        guard let observation else {
            throw ConnectionFailure(address: settings.address, cause: .silent)
        }
        return observation
    }
}

extension BrokerSettings {
    /// The files of the section, each with its purpose.
    package var files: [(purpose: String, path: String)] {
        let all = [
            ("password", passwordFile), ("CA file", tls?.caFile),
            ("certificate", tls?.certFile), ("key", tls?.keyFile),
        ]
        return all.compactMap { purpose, path in path.map { (purpose, $0) } }
    }

    package func names(_ file: String) -> Bool { files.contains { $0.path == file } }
}
