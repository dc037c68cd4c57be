import Configuration
import Contract
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

extension BrokerSettings {
    /// The agent's connection settings with the password, and a warning about the password's file.
    package func connection(
        for topics: Topics
    ) throws(PasswordFile.Unusable) -> (settings: ConnectionSettings, warning: String?) {
        // As in the certificate: a broker that takes the identifier from there changes nothing.
        var (connection, warning) = try connection(
            usualClientID: "\(topics.site)/\(topics.gateway)")
        // Larger messages are not layers.
        connection.maximumPayload = LayerDocument.maxBytes
        return (connection, warning)
    }

    /// The connection settings of a program with the password, and a warning about the password's file.
    package func connection(
        usualClientID: String
    ) throws(PasswordFile.Unusable) -> (settings: ConnectionSettings, warning: String?) {
        var connection = ConnectionSettings(host: host, port: port)
        connection.username = username
        connection.keepAliveSeconds = keepAliveSeconds
        connection.clientID = clientId ?? usualClientID
        var warning: String?
        if let passwordFile {
            let file = try PasswordFile(path: passwordFile)
            warning = file.warning
            connection.password = file.password
        }
        if let tls {
            connection.tls = TLSSettings(caFile: tls.caFile)
            if let certFile = tls.certFile, let keyFile = tls.keyFile {
                connection.tls?.client = .init(certFile: certFile, keyFile: keyFile)
            }
        }
        return (connection, warning)
    }

    /// Which version of MQTT is to be spoken.
    package var protocolChoice: Reconnect.Choice {
        switch protocolVersion {
        case .auto: .automatic
        case .v5: .fixed(.v5)
        case .v311: .fixed(.v311)
        }
    }
}
