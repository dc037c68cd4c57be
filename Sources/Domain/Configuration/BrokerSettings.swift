import JSON
import Posix

/// Which broker, and how to come in: the section `mqtt` of the local file, or one of its alternatives.
package struct BrokerSettings: Equatable, Sendable {
    /// Which version of MQTT is spoken.
    package enum ProtocolVersion: String, CaseIterable, Sendable {
        /// 5, and 3.1.1 where the broker does not speak it.
        case auto
        case v5 = "5"
        case v311 = "3.1.1"
    }

    /// Transport security; without files, the system's authorities are trusted and nothing proves who we are.
    package struct TLS: Equatable, Sendable {
        /// The authorities to trust (PEM); `nil` for the system's.
        package var caFile: String?
        /// The client's certificate and its key (PEM); both or neither.
        package var certFile: String?
        package var keyFile: String?

        package init(caFile: String? = nil, certFile: String? = nil, keyFile: String? = nil) {
            self.caFile = caFile
            self.certFile = certFile
            self.keyFile = keyFile
        }
    }

    package var host: String
    package var port: UInt16
    package var protocolVersion: ProtocolVersion
    package var username: String?
    /// The file with the password; see `PasswordFile`.
    package var passwordFile: String?
    /// After how many seconds of silence the connection is tried, and given up after half as many more.
    package var keepAliveSeconds: Int
    /// `nil` for one made of site and gateway.
    package var clientId: String?
    /// `nil` for none.
    package var tls: TLS?

    package init(
        host: String, port: UInt16? = nil, protocolVersion: ProtocolVersion = .auto,
        username: String? = nil, passwordFile: String? = nil, keepAliveSeconds: Int = 30,
        clientId: String? = nil, tls: TLS? = nil
    ) {
        self.host = host
        self.port = port ?? (tls == nil ? 1883 : 8883)
        self.protocolVersion = protocolVersion
        self.username = username
        self.passwordFile = passwordFile
        self.keepAliveSeconds = keepAliveSeconds
        self.clientId = clientId
        self.tls = tls
    }
}

extension BrokerSettings {
    /// Reads the section's members but `root`, which is a matter of topics, and `alternatives`, which are others.
    init(from reader: inout ObjectReader) {
        let host = reader.parsed(
            "host", expecting: "a host name or an address, without scheme and port"
        ) { NetworkAddress.isHost($0) ? $0 : nil }
        let port: UInt16? = reader.optionalInteger("port", in: 1...UInt16.max)
        self.init(
            host: host ?? "", port: port,
            protocolVersion: reader.choice("protocol", default: .auto),
            username: reader.optionalText("username", maxBytes: 1024),
            passwordFile: reader.optionalPath("passwordFile"),
            keepAliveSeconds: reader.integer("keepAliveSeconds", in: 5...65_535, default: 30),
            clientId: reader.optionalText("clientId", maxBytes: 128),
            tls: reader.optionalObject("tls") { TLS(from: &$0) })
        if reader.has("passwordFile"), !reader.has("username") {
            reader.note(
                "username", .missing, "username is required where there is a passwordFile")
        }
    }
}

extension BrokerSettings.TLS {
    fileprivate init(from reader: inout ObjectReader) {
        self.init(
            caFile: reader.optionalPath("caFile"), certFile: reader.optionalPath("certFile"),
            keyFile: reader.optionalPath("keyFile"))
        let pair = ["certFile", "keyFile"]
        for (key, other) in zip(pair, pair.reversed()) where !reader.has(key) && reader.has(other) {
            reader.note(key, .missing, "\(key) is required where there is a \(other)")
        }
    }
}
