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
        /// The client takes a response, until `end` at the latest.
        case responding(end: Instant)
        case streaming(StreamReader)
    }

    let peer: PeerAddress
    /// Beyond the limits: its first request gets 503.
    let isExcess: Bool
    /// Whether it has made room for another client.
    var isReplaced = false
    var phase = Phase.idle
    /// When its exchange last went forward: its start, the end of a request or a response, or a part of a response that it took.
    var advanced: Instant
    /// When its phase is looked at again.
    var deadline: Instant

    /// Streams have places of their own.
    var isStreaming: Bool {
        if case .streaming = phase { true } else { false }
    }

    init(_ peer: PeerAddress, isExcess: Bool, at now: Instant, deadline: Instant) {
        self.peer = peer
        self.isExcess = isExcess
        advanced = now
        self.deadline = deadline
    }
}
