import Posix

/// TCP ports of the loopback interface.
package enum Ports {
    /// A port without a listener.
    package static func free() throws -> UInt16 {
        let listener = try Sockets.listen(on: .tcp(host: "127.0.0.1", port: 0))
        return try Sockets.port(of: listener)
    }
}
