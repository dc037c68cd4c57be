import Posix
import Primitives

/// Where a broker is: `mqtt://host[:port]`, or `mqtts://…` with TLS.
package struct BrokerURL: Equatable {
    package let host: String
    package let port: UInt16
    package let usesTLS: Bool

    /// Why a text is no such URL: one sentence, without a full stop.
    package struct Invalid: Error, Equatable {
        package let sentence: String
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
            throw Invalid(
                sentence:
                    "\(shown) is no broker; expected mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")
        }
        guard !rest.contains("@") else {
            // Not shown: there may be a password in it.
            throw Invalid(
                sentence:
                    "a broker's URL has no user and no password here, because everybody on this"
                    + " machine can read the command line; use --username and --password-file")
        }
        let place = rest.hasSuffix("/") ? rest.dropLast() : rest
        guard let address = NetworkAddress.parse(place, usualPort: usesTLS ? 8883 : 1883) else {
            throw Invalid(
                sentence: "\(shown) is no broker; expected a host, perhaps :PORT from 1 to 65535,"
                    + " and nothing behind it")
        }
        (host, port) = address
    }
}

extension BrokerURL: CustomStringConvertible {
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(usesTLS ? "mqtts" : "mqtt")://\(name):\(port)"
    }
}
