import MQTT
import Posix
import Primitives
import ServerConfiguration
import Terminal

/// Requests to a server of this machine.
struct ServerPage {
    typealias Answer = WebExchange.Answer

    private let address: Sockets.Address

    private static let patience = Duration.seconds(10)

    init(_ listen: ListenAddress) {
        switch listen {
        case .unix(let path): address = .unix(path: path)
        case .tcp("0.0.0.0", let port): address = .tcp(host: "127.0.0.1", port: port)
        case .tcp("::", let port): address = .tcp(host: "::1", port: port)
        case .tcp(let host, let port): address = .tcp(host: host, port: port)
        }
    }

    /// Whether a program listens there.
    var isTaken: Bool {
        do throws(Errno) {
            _ = try Sockets.connect(to: address)
            return true
        } catch {
            return false
        }
    }

    /// The answer; `nil` without one within ten seconds.
    func get(_ path: String) -> Answer? {
        try? WebExchange(local: address)
            .answer("GET", path, maxBytes: Answer.maxBytes, until: .now + Self.patience)
    }
}
