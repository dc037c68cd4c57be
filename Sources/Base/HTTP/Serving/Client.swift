import Posix
import Primitives

/// One connection and the request that it carries.
final class Client {
    /// A request whose body may still arrive.
    struct Incoming {
        var head: RequestHead?
        var verdict: RequestGuard.Verdict
        var body: [UInt8] = []
        /// Bytes of the body that were dropped because they exceed the limit.
        var dropped = 0
    }

    /// Where the connection is in its exchange.
    enum Phase {
        /// No request line has arrived.
        case idle
        /// A request line has arrived.
        case began(target: [UInt8])
        case receiving(Incoming)
        case responding
        case streaming(StreamReader, progress: Int)
    }

    let peer: PeerAddress
    /// Beyond the limits: its first request gets 503.
    let isExcess: Bool
    /// Whether it has made room for another client.
    var isReplaced = false
    var phase = Phase.idle
    /// When its phase has taken too long.
    var deadline: Instant

    /// Whether the server waits for the rest of a request, or for the next one.
    var isWaiting: Bool {
        switch phase {
        case .idle, .began, .receiving: true
        case .responding, .streaming: false
        }
    }

    init(_ peer: PeerAddress, isExcess: Bool, deadline: Instant) {
        self.peer = peer
        self.isExcess = isExcess
        self.deadline = deadline
    }
}
