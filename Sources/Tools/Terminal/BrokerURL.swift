import Posix
import Primitives

/// The URL of a broker: `mqtt://host[:port]`, or `mqtts://…` with TLS.
package struct BrokerURL: Equatable, Sendable {
    package let host: String
    package let port: UInt16
    package let usesTLS: Bool

    package static let rule = "mqtt://HOST[:PORT] or mqtts://HOST[:PORT]"
    /// A broker on this machine, at the registered port.
    package static let local = BrokerURL(host: "localhost", port: 1883, usesTLS: false)

    private init(host: String, port: UInt16, usesTLS: Bool) {
        (self.host, self.port, self.usesTLS) = (host, port, usesTLS)
    }

    /// The reason why a text is not a broker's URL.
    package struct Invalid: Error, Equatable {
        package let message: String
    }

    package init(_ text: String) throws(Invalid) {
        let shown = "“\(text.printable(limit: 100))”"
        let rest: Substring
        let lower = text.lowercased()
        if lower.hasPrefix("mqtt://") {
            usesTLS = false
            rest = text.dropFirst(7)
        } else if lower.hasPrefix("mqtts://") {
            usesTLS = true
            rest = text.dropFirst(8)
        } else {
            throw Invalid(message: "\(shown) is not a broker; expected \(Self.rule)")
        }
        guard !rest.contains("@") else {
            // The message leaves the text out: it can contain a password.
            throw Invalid(
                message:
                    "the URL must not contain a user name or password, because every user of this"
                    + " machine can read the command line; use --username and --password-file")
        }
        let place = rest.hasSuffix("/") ? rest.dropLast() : rest
        guard let address = NetworkAddress.parse(place, usualPort: usesTLS ? 8883 : 1883) else {
            throw Invalid(
                message:
                    "\(shown) is not a broker; expected HOST or HOST:PORT with a port from 1 to 65535,"
                    + " and nothing after it")
        }
        (host, port) = address
    }
}

extension BrokerURL: CustomStringConvertible {
    package var description: String {
        "\(usesTLS ? "mqtts" : "mqtt")://\(address)"
    }

    package var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
