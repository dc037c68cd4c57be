import JSON
import MQTT
import Posix
import Primitives
import ServerConfiguration

/// Requests to a server of this machine.
struct ServerPage {
    struct Answer: Equatable {
        let status: Int
        let body: [UInt8]

        /// The sentence of a problem document.
        var detail: String? {
            guard case .string(let text)? = json?["detail"] else { return nil }
            return text
        }

        var json: JSON? { try? JSON(parsing: body, maxBytes: ServerPage.maxBytes) }
    }

    private let address: Sockets.Address

    private static let patience = Duration.seconds(10)
    private static let maxBytes = 1 << 22

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
        guard let socket = try? Sockets.connect(to: address) else { return nil }
        let deadline = Instant.now + Self.patience
        let stream = PlainStream(socket)
        let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        guard stream.write(Array(request.utf8), until: deadline) else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < Self.maxBytes, let more = stream.read(until: deadline), !more.isEmpty {
            bytes += more
        }
        return Answer(bytes)
    }
}

extension ServerPage.Answer {
    /// Reads a response (RFC 9112): the status line, headers, and a body that ends with the connection.
    init?(_ response: [UInt8]) {
        let separator = Array("\r\n\r\n".utf8)
        guard
            let end = response.indices.first(where: { response[$0...].starts(with: separator) })
        else { return nil }
        let head = String(decoding: response[..<end], as: UTF8.self)
        let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            return nil
        }
        self.init(status: status, body: Array(response[(end + separator.count)...]))
    }
}
