import Contract
import MQTT
import Posix
import Primitives

/// Connects and subscribes as the agent does, with another client identifier.
struct BrokerProbe {
    struct Findings {
        /// The protocol version, or the reason why the broker refuses the connection.
        var login: Result<ProtocolVersion, ConnectionFailure>
        /// By topic filter; without an entry if the broker has not answered.
        var answers: [String: ReasonCode] = [:]
        /// The topics of the retained messages.
        var documents: Set<String> = []
        /// The retained status of the gateway.
        var status: StatusMessage?
        /// Another client of the same names appeared: it took the connection over, or published a status.
        var hasRival = false
    }

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

    mutating func run() -> Findings {
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
                return Findings(login: .failure(failure))
            }
        }
        return Findings(
            login: .failure(ConnectionFailure(address: settings.address, cause: .silent)))
    }

    private func subscribe(_ connection: Connection) throws(ConnectionFailure) -> Findings {
        var findings: Findings?
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
                    findings = Findings(login: .success(connection.version))
                    try? connection.subscribe(to: filters)
                case .subscribed(let filter, let reason):
                    findings?.answers[filter] = reason
                    if findings?.answers.count == filters.count {
                        end = .now + Self.retainedTime
                    }
                case .message(let message):
                    if message.isRetained { findings?.documents.insert(message.topic) }
                    guard message.topic == statusTopic,
                        let status = try? StatusMessage(decoding: message.payload)
                    else { continue }
                    findings?.status = status
                    if !message.isRetained { findings?.hasRival = true }
                case .oversized(let topic, _): findings?.documents.insert(topic)
                case .ended(let failure):
                    guard var findings else { throw failure }
                    if case .takenOver = failure.cause { findings.hasRival = true }
                    return findings
                case .acknowledged: break
                }
            }
        }
        connection.disconnect()
        _ = connection.service([])
        guard let findings else {
            throw ConnectionFailure(address: settings.address, cause: .silent)
        }
        return findings
    }
}
