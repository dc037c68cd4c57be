import Posix
import Primitives

/// The connections of a server by descriptor, and how many there are of each address.
struct ClientTable {
    private(set) var clients: [CInt: Client] = [:]
    private var ofAddress: [String: Int] = [:]
    private var excess = 0
    /// Ended ones that the daemon has not closed yet.
    private var replaced = 0
    private let limits: HTTPLimits
    /// No client's deadline is earlier.
    private(set) var nextDeadline: Instant?

    /// Deadlines are checked together, so that many clients do not wake the server one by one.
    private static let granularity = Duration.milliseconds(250)

    init(_ limits: HTTPLimits) { self.limits = limits }

    var count: Int { clients.count }

    subscript(descriptor: CInt) -> Client? { clients[descriptor] }

    /// Takes up a connection; `nil` when too many are waiting for a response 503 already.
    mutating func admit(_ descriptor: CInt, from peer: PeerAddress, at now: Instant) -> Client? {
        // The library has closed a connection without a notice, and the kernel uses its number again.
        remove(descriptor)
        let isExcess = isFull || !mayHaveMore(peer)
        if isExcess, excess >= HTTPLimits.politelyRefused { return nil }
        let client = Client(
            peer, isExcess: isExcess, at: now, deadline: now + limits.requestTime)
        clients[descriptor] = client
        ofAddress[peer.group, default: 0] += 1
        if isExcess { excess += 1 }
        noteDeadline(of: client)
        return client
    }

    mutating func remove(_ descriptor: CInt) {
        guard let client = clients.removeValue(forKey: descriptor) else { return }
        if client.isExcess { excess -= 1 }
        if client.isReplaced { replaced -= 1 }
        let others = ofAddress[client.peer.group, default: 1] - 1
        ofAddress[client.peer.group] = others == 0 ? nil : others
    }

    private var isFull: Bool { clients.count - excess - replaced >= limits.clients }

    private func mayHaveMore(_ peer: PeerAddress) -> Bool {
        limits.trusts(peer) || ofAddress[peer.group, default: 0] < limits.clientsOfAddress
    }

    /// Makes room for a connection where there is none.
    ///
    /// - Returns: the one whose exchange has not advanced for the longest time. The caller shuts it down.
    mutating func makeRoom(for peer: PeerAddress) -> CInt? {
        guard isFull, mayHaveMore(peer), replaced < HTTPLimits.replacedAtOnce else { return nil }
        let replaceable = clients.filter {
            !$0.value.isExcess && !$0.value.isReplaced && !$0.value.isStreaming
        }
        guard
            let (descriptor, client) = replaceable.min(by: {
                $0.value.advanced < $1.value.advanced
            })
        else { return nil }
        client.isReplaced = true
        replaced += 1
        return descriptor
    }

    mutating func noteDeadline(of client: Client) {
        nextDeadline = Instant.earliest(nextDeadline, client.deadline)
    }

    /// The clients whose deadline has passed. The caller sets a new one, or ends them.
    mutating func overdue(at now: Instant) -> [(descriptor: CInt, client: Client)] {
        guard let next = nextDeadline, next <= now else { return [] }
        var overdue: [(CInt, Client)] = []
        var earliest: Instant?
        for (descriptor, client) in clients {
            if client.deadline <= now { overdue.append((descriptor, client)) }
            earliest = Instant.earliest(earliest, max(client.deadline, now + Self.granularity))
        }
        nextDeadline = earliest
        return overdue
    }
}

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
