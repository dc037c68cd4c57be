import Glibc
import Posix

/// The state of a connected socket, as the kernel reports it.
enum SocketState {
    /// The pending error of the socket, which this call clears (SO_ERROR, socket(7)).
    static func takeError(of descriptor: CInt) -> Errno? {
        var error: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error != 0 else {
            return nil
        }
        return Errno(rawValue: error)
    }

    /// Whether TCP is connected (getpeername(2)).
    static func isConnected(_ descriptor: CInt) -> Bool {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                getpeername(descriptor, $0.baseAddress, &size) == 0
            }
        }
    }

    /// Whether the peer has closed the connection, or it has failed.
    static func isFinished(_ descriptor: CInt) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
        let error = Errno.current
        return count == 0 || (count == -1 && error != .wouldBlock && error != .interrupted)
    }
}
