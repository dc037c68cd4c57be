import MQTT

/// A broker, and the protocol version for it.
package struct BrokerEndpoint: Equatable, Sendable {
    package var connection: ConnectionSettings
    package var protocolChoice: Reconnect.Choice

    package init(_ connection: ConnectionSettings, _ protocolChoice: Reconnect.Choice) {
        self.connection = connection
        self.protocolChoice = protocolChoice
    }

    /// Whether the other one is the same broker, with the same client identifier.
    func isSameClient(as other: BrokerEndpoint) -> Bool {
        connection.address == other.connection.address
            && connection.clientID == other.connection.clientID
    }
}
