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
