import Glibc
import Posix
import Primitives

/// An attempt to connect, with one kind of address or with all.
struct ConnectionAttempt {
    let family: Host.Family?
    /// Why the socket can't connect.
    var error: Errno?
    /// Whether TCP, and TLS, are connected.
    private(set) var isConnected = false
    /// The peer, once TCP is connected.
    var peer: Sockets.ResolvedAddress?
    /// When to ask the peer whether it speaks another protocol; `nil` after that, and before the connection.
    private var probeDue: Instant?
    /// When it ends without an answer.
    private(set) var deadline: Instant
    private let connackTimeout: Duration?

    private static let limits: ClosedRange<Duration> = .seconds(1) ... .seconds(86400)

    init(_ family: Host.Family?, _ settings: ConnectionSettings) {
        self.family = family
        connackTimeout = settings.connackTimeout
        let time = max(settings.answerTimeout, Self.limits.lowerBound)
        deadline = .now + min(time, Self.limits.upperBound)
    }

    /// TCP, and TLS, are connected.
    mutating func connected(at now: Instant) {
        guard !isConnected else { return }
        isConnected = true
        probeDue = now + HTTPProbe.patience
        if let connackTimeout { deadline = min(deadline, now + connackTimeout) }
    }

    /// - Returns: the peer to ask, once, after it has not answered CONNECT for some time.
    mutating func takeProbe(at now: Instant) -> Sockets.ResolvedAddress? {
        guard let probeDue, probeDue <= now else { return nil }
        self.probeDue = nil
        return peer
    }
}

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
