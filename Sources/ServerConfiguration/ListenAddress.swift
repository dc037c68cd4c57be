import Configuration
import Contract
import Posix

/// Where the server waits for browsers: a TCP address or a Unix socket.
package enum ListenAddress: Equatable, Sendable {
    case tcp(host: String, port: UInt16)
    case unix(path: String)

    /// `HOST:PORT`, or `unix:` and an absolute path.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            // The room of sockaddr_un, with the NUL (unix(7)).
            guard path.hasPrefix("/"), (2...107).contains(path.utf8.count),
                !path.utf8.contains(0)
            else { return nil }
            self = .unix(path: path)
            return
        }
        guard let (host, port) = NetworkAddress.parse(text) else { return nil }
        self = .tcp(host: host, port: port)
    }

    /// Whether only programs of this machine can connect.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _): host == "localhost" || host == "::1" || host.hasPrefix("127.")
        }
    }
}

extension ListenAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port):
            host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}

extension KeyType<ListenAddress> {
    static let listenAddress = parsed(
        expecting: "HOST:PORT, or unix: and an absolute path",
        schema: [
            "type": "string",
            "pattern":
                "^(?:unix:/.{1,106}|(?:[^\\s/@?#\\[\\]]+|\\[[^\\s/@?#\\[\\]]+\\]):[0-9]{1,5})$",
        ],
        json: { "\($0)" }, parse: { ListenAddress($0) })
}
