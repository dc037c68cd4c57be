import Contract
import JSON
import Posix

/// Which broker, and how to come in: the section `mqtt` of the local file, or one of its alternatives.
package struct BrokerSettings: ConfigurationSection {
    /// Which version of MQTT is spoken.
    package enum ProtocolVersion: String, CaseIterable, Sendable {
        /// 5, and 3.1.1 where the broker does not speak it.
        case auto
        case v5 = "5"
        case v311 = "3.1.1"
    }

    /// Transport security; without files, the system's authorities are trusted and nothing proves who we are.
    package struct TLS: ConfigurationSection {
        /// The authorities to trust (PEM); `nil` for the system's.
        package var caFile: String?
        /// The client's certificate and its key (PEM); both or neither.
        package var certFile: String?
        package var keyFile: String?

        package init() {}
    }

    package var host = ""
    private var givenPort: UInt16?
    package var protocolVersion = ProtocolVersion.auto
    package var username: String?
    /// The file with the password; see `PasswordFile`.
    package var passwordFile: String?
    /// After how many seconds of silence the connection is tried, and given up after half as many more.
    package var keepAliveSeconds = 30
    /// `nil` for `SITE/GATEWAY`.
    package var clientId: String?
    /// `nil` for none.
    package var tls: TLS?

    /// The registered port of MQTT, with or without TLS, unless another is given.
    package var port: UInt16 {
        get { givenPort ?? (tls == nil ? 1883 : 8883) }
        set { givenPort = newValue }
    }

    package init() {}

    package static let help = "The broker."
    package static let keys: [ConfigurationKey<BrokerSettings>] = [
        .value(
            "host", \.host, .host, isRequired: true, example: "broker.example",
            help: "A name or an address."),
        .optional(
            "port", \.givenPort, .integer(in: 1...UInt16.max), example: 8883,
            help: "The default is 8883 with tls, and 1883 without."),
        .value(
            "protocol", \.protocolVersion, .word,
            help: "The version of MQTT. auto: 5, and 3.1.1 where the broker does not support 5."),
        .optional(
            "username", \.username, .text(maxBytes: 1024), example: "entry-1",
            help: "Without it, the program sends no credentials."),
        .optional(
            "passwordFile", \.passwordFile, .path, example: "/etc/sightline/password",
            help: "A file with one line, readable only by the program."),
        .value(
            "keepAliveSeconds", \.keepAliveSeconds, .integer(in: 5...65_535),
            help:
                "After one and a half times this time without a packet, the broker publishes that the "
                + "program is offline."),
        .optional(
            "clientId", \.clientId, .text(maxBytes: 128), example: "store-042-entry-1",
            help: "The default is SITE/ID for a gateway, as in its certificate, and "
                + "sightline-server/ID for a server."),
        .optionalSection("tls", \.tls),
    ]

    package static let rules: JSON = ["dependentRequired": ["passwordFile": ["username"]]]

    package mutating func complete(_ reader: inout ObjectReader) {
        // An explicit usual port is no difference.
        port = port
        if reader.has("passwordFile"), !reader.has("username") {
            reader.note(
                "username", .missing, "username is required where there is a passwordFile")
        }
    }
}

extension BrokerSettings.TLS {
    package static let help =
        "Without tls, the connection is not encrypted. An empty section, {}, trusts the system's "
        + "certificate authorities and presents no client certificate."
    package static let keys: [ConfigurationKey<BrokerSettings.TLS>] = [
        .optional(
            "caFile", \.caFile, .path, example: "/etc/sightline/ca.crt",
            help: "The only certificate authorities that the program trusts."),
        .optional(
            "certFile", \.certFile, .path, example: "/etc/sightline/gateway.crt",
            help: "The certificate of the client. It needs keyFile."),
        .optional(
            "keyFile", \.keyFile, .path, example: "/etc/sightline/gateway.key",
            help: "The private key of the certificate."),
    ]

    package static let rules: JSON = [
        "dependentRequired": ["certFile": ["keyFile"], "keyFile": ["certFile"]]
    ]

    package func complete(_ reader: inout ObjectReader) {
        let pair = ["certFile", "keyFile"]
        for (key, other) in zip(pair, pair.reversed()) where !reader.has(key) && reader.has(other) {
            reader.note(key, .missing, "\(key) is required where there is a \(other)")
        }
    }
}
