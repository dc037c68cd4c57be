/// The version of the protocol that a connection speaks.
package enum ProtocolVersion: Sendable {
    case v5
    case v311
}

/// Where a broker is, and how to be let in.
package struct ConnectionSettings: Equatable, Sendable {
    package var host: String
    package var port: UInt16
    /// `nil` for plain TCP.
    package var tls: TLSSettings?
    package var username: String?
    /// Sent only together with a user name.
    package var password: String?
    /// Empty lets the library or the broker choose one.
    package var clientID: String
    /// After so long without a packet the connection is probed; 5…65535.
    package var keepAliveSeconds: Int
    /// A connection that the broker has not answered by then is given up.
    package var answerTimeoutSeconds: Int
    /// Messages with a larger payload than this many bytes are not delivered to us, only reported.
    package var maximumPayload: Int

    package init(
        host: String, port: UInt16, tls: TLSSettings? = nil, username: String? = nil,
        password: String? = nil, clientID: String = "", keepAliveSeconds: Int = 30,
        answerTimeoutSeconds: Int = 20, maximumPayload: Int = 1 << 20
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.username = username
        self.password = password
        self.clientID = clientID
        self.keepAliveSeconds = keepAliveSeconds
        self.answerTimeoutSeconds = answerTimeoutSeconds
        self.maximumPayload = maximumPayload
    }

    /// The broker, as sentences name it.
    package var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Whom to trust, and who we are: TLS 1.2 or later, the broker's certificate and host name always verified.
package struct TLSSettings: Equatable, Sendable {
    /// A client's certificate and its private key, PEM files both; the key without a passphrase.
    package struct ClientCertificate: Equatable, Sendable {
        package var certFile: String
        package var keyFile: String

        package init(certFile: String, keyFile: String) {
            self.certFile = certFile
            self.keyFile = keyFile
        }
    }

    /// The certificates trusted, as a PEM file; `nil` for those that the system trusts.
    package var caFile: String?
    package var client: ClientCertificate?

    package init(caFile: String? = nil, client: ClientCertificate? = nil) {
        self.caFile = caFile
        self.client = client
    }
}
