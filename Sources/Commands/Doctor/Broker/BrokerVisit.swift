import MQTT
import Posix
import Primitives

/// A visit to a broker, as the agent would make it, but under another name.
struct BrokerVisit {
    /// What came of it.
    struct Findings {
        /// Which version the broker speaks with us, or why it does not let us in.
        var login: Result<ProtocolVersion, ConnectionFailure>
        /// By topic filter; one that is missing was not answered.
        var answers: [String: ReasonCode] = [:]
        /// The topics of retained messages that came.
        var documents: Set<String> = []
    }

    private let settings: ConnectionSettings
    private let filters: [String]
    private var reconnect: Reconnect

    /// For the broker's answers, in microseconds.
    private static let patience: Int64 = 10_000_000
    /// For what is retained, behind the last answer to a subscription.
    private static let lull: Int64 = 500_000
    /// Attempts, of which those that only find out the protocol's version are no failures.
    private static let mostAttempts = 4

    init(_ settings: ConnectionSettings, _ choice: Reconnect.Choice, filters: [String]) {
        self.settings = settings
        self.filters = filters
        reconnect = Reconnect(choice)
    }

    /// Goes there, subscribes, and leaves.
    mutating func make() -> Findings {
        for attempt in 1...Self.mostAttempts {
            let failure: ConnectionFailure
            do throws(ConnectionFailure) {
                return try stay(Connection(to: settings, version: reconnect.version))
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

    private func stay(_ connection: Connection) throws(ConnectionFailure) -> Findings {
        var findings: Findings?
        var end = Clocks.boot + Self.patience
        while Clocks.boot < end {
            var ready: Poll.Events = []
            let left = Int(max(0, end - Clocks.boot)) / 1000 + 1
            if let interest = connection.interest {
                let wait = min(left, Connection.serviceInterval)
                ready = (try? Poll.wait(for: [interest], timeout: wait))?.first ?? []
            }
            for event in connection.service(ready) {
                switch event {
                case .connected:
                    findings = Findings(login: .success(connection.version))
                    try? connection.subscribe(to: filters)
                case .subscribed(let filter, let reason):
                    findings?.answers[filter] = reason
                    if findings?.answers.count == filters.count { end = Clocks.boot + Self.lull }
                case .message(let message) where message.isRetained:
                    findings?.documents.insert(message.topic)
                case .oversized(let topic, _): findings?.documents.insert(topic)
                case .ended(let failure):
                    guard let findings else { throw failure }
                    return findings
                case .message, .acknowledged: break
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
