import Primitives

/// The change from the brokers in use to the brokers of a new configuration.
///
/// The broker in use gets a limited time to acknowledge what was sent. Then the gateway says `offline` and disconnects.
/// Everything that is unacknowledged goes to the new brokers.
package struct BrokerMigration {
    package enum Step: Equatable {
        case wait
        case publishOffline
        case disconnect
        /// Drop the connection, if there is one, and use the new brokers.
        case switchBrokers
    }

    /// The time for acknowledgements of the broker in use.
    private static let patience = Duration.seconds(2)

    let brokers: [BrokerEndpoint]
    private let deadline: Instant

    init(to brokers: [BrokerEndpoint], at now: Instant) {
        self.brokers = brokers
        deadline = now + Self.patience
    }

    /// - Parameters:
    ///   - unacknowledged: publications that the connected broker has not acknowledged; `nil` without a connection.
    ///   - isOffline: whether the connection has published `offline`.
    func step(unacknowledged: Int?, isOffline: Bool, at now: Instant) -> Step {
        guard let unacknowledged, now < deadline else { return .switchBrokers }
        guard unacknowledged == 0 else { return .wait }
        return isOffline ? .disconnect : .publishOffline
    }
}
