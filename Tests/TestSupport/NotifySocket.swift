import Glibc
import Posix

/// The notification socket of a service manager, and its received lines.
package final class NotifySocket {
    private let socket: CInt
    /// Received lines that no caller has read yet.
    private var lines: [String] = []

    /// - Parameter place: a path, or `@` and a name.
    package init(at place: String) throws {
        socket = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        let result = ServiceManager.address(of: place)?.withUnsafeBytes { address in
            address.withMemoryRebound(to: sockaddr.self) {
                bind(socket, $0.baseAddress, socklen_t(address.count))
            }
        }
        guard result == 0 else { throw TestFailure("bind to \(place): \(Errno.current)") }
    }

    deinit { close(socket) }

    /// The next datagram; `nil` when there is none.
    package func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &bytes, bytes.count, CInt(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// The next line with this beginning; earlier lines are dropped.
    package func wait(for beginning: String) throws -> String {
        let end = Deadline()
        repeat {
            // One datagram may have several lines.
            while !lines.isEmpty {
                let line = lines.removeFirst()
                if line.hasPrefix(beginning) { return line }
            }
            _ = try Poll.wait(for: [Poll.Interest(socket)], timeout: end.milliseconds)
            if let datagram = next() { lines += datagram.split(separator: "\n").map(String.init) }
        } while !end.hasPassed || !lines.isEmpty
        throw TestFailure("no \(beginning) in time")
    }
}
