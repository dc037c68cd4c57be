import Glibc
import Posix

/// What a connected socket says of itself, beside what libmosquitto reads from it.
enum SocketState {
    /// The error that is waiting on the socket, which this takes away (SO_ERROR, socket(7)).
    static func takeError(of descriptor: CInt) -> Errno? {
        var error: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error != 0 else {
            return nil
        }
        return Errno(rawValue: error)
    }

    /// Whether nothing will ever be read from it again.
    static func isFinished(_ descriptor: CInt) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
        let error = Errno.current
        return count == 0 || (count == -1 && error != .wouldBlock && error != .interrupted)
    }
}
