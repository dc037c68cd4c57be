import Posix

/// Where a server listens.
package enum Listening: Equatable, Sendable, CustomStringConvertible {
    /// A port of 0 lets the kernel choose one.
    case tcp(host: String, port: UInt16)
    /// The file's access rights say who may connect.
    case unix(path: String, mode: UInt32)
    /// A socket that the service manager has opened.
    case inherited(descriptor: CInt)

    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path, _): path
        case .inherited(let descriptor): "the inherited socket \(descriptor)"
        }
    }
}

/// A listening socket. It owns the file of a Unix socket that it made.
final class HTTPListener {
    private let descriptor: Descriptor
    private let path: String?
    let port: UInt16?

    /// The connections that the kernel holds until they are accepted.
    private static let backlog: CInt = 1024

    init(_ listening: Listening) throws(HTTPServerError) {
        do throws(Errno) {
            switch listening {
            case .tcp(let host, let port):
                let listener = try Sockets.listen(
                    on: .tcp(host: host, port: port), backlog: Self.backlog)
                self.port = try Sockets.port(of: listener)
                descriptor = listener
                path = nil
            case .unix(let path, let mode):
                Sockets.removeAbandoned(path)
                descriptor = try Sockets.listen(
                    on: .unix(path: path), backlog: Self.backlog, mode: mode)
                self.path = path
                port = nil
            case .inherited(let number):
                descriptor = Descriptor(owning: number)
                path = nil
                port = nil
            }
        } catch {
            throw .listening(listening.description, error)
        }
    }

    deinit { path.map(Sockets.removeFile) }

    var number: CInt { descriptor.rawValue }
}
