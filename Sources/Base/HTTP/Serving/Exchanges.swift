import Posix
import Primitives

/// The requests and responses on all connections of a server: what libmicrohttpd's callbacks lead to.
final class Exchanges {
    private(set) var counters: HTTPCounters
    var requestGuard: RequestGuard
    private var table: ClientTable
    private let limits: HTTPLimits
    private let security: SecurityHeaders
    private let report: (String) -> Void
    /// The time of the present run.
    private(set) var now: Instant
    /// Whether connections have been resumed since the last run. The daemon's descriptor does not tell.
    private(set) var needsRun = false

    init(
        _ requestGuard: RequestGuard, limits: HTTPLimits, security: SecurityHeaders,
        at now: Instant,
        report: @escaping (String) -> Void
    ) {
        self.requestGuard = requestGuard
        self.limits = limits
        self.security = security
        self.now = now
        self.report = report
        table = ClientTable(limits)
        counters = HTTPCounters(routes: requestGuard.router.routes.count)
    }

    func log(_ line: String) { report(line) }

    // MARK: Connections

    /// Whether the daemon shall serve a connection.
    func admit(_ descriptor: CInt, from peer: PeerAddress) -> Bool {
        counters.connections &+= 1
        if let idle = table.makeRoom(for: peer) {
            counters.count(.clients)
            Sockets.shutDown(idle)
        }
        let client = table.admit(descriptor, from: peer, at: now)
        if client?.isExcess ?? true { counters.count(.clients) }
        counters.clients = table.count
        return client != nil
    }

    /// The daemon has refused the connection.
    func forget(_ descriptor: CInt) {
        table.remove(descriptor)
        counters.clients = table.count
    }

    func closed(_ connection: MicroHTTPConnection) {
        let descriptor = connection.socket
        if let client = table[descriptor] { endStream(of: client) }
        forget(descriptor)
    }

    var deadline: Instant? { needsRun ? now : table.nextDeadline }

    func runBegins(at now: Instant) {
        self.now = now
        needsRun = false
    }

    /// Ends what takes too long, and sends comments on streams.
    func sweep() {
        for (descriptor, client) in table.overdue(at: now) {
            switch client.phase {
            case .streaming(let reader) where reader.isSuspended || isTaking(client):
                setDeadline(of: client, at: now + limits.silence)
                reader.sendComment()
            case .streaming(let reader):
                counters.count(.slow)
                reader.leave()
                Sockets.shutDown(descriptor)
            case .responding(let end) where end > now && isTaking(client):
                setDeadline(of: client, at: min(client.advanced + limits.silence, end))
            case .idle:
                Sockets.shutDown(descriptor)
            case .began, .receiving, .responding:
                counters.count(.timeout)
                Sockets.shutDown(descriptor)
            }
        }
    }

    /// Whether the client has taken a part of its response lately.
    private func isTaking(_ client: Client) -> Bool { client.advanced + limits.silence > now }

    /// Wakes and ends all streams: the daemon stops, or their clients' rights are others.
    func endStreams() {
        for client in table.clients.values {
            if case .streaming(let reader) = client.phase { reader.end() }
        }
    }

    // MARK: Requests

    func began(_ connection: MicroHTTPConnection, target: [UInt8]) {
        table[connection.socket]?.phase = .began(target: target)
    }

    func headersArrived(
        _ connection: MicroHTTPConnection, method: String, areWhole: Bool
    ) -> Bool {
        guard let client = table[connection.socket], case .began(let target) = client.phase else {
            return false
        }
        let headers = connection.headers()
        let body = BodyFraming(headers)
        var incoming = Client.Incoming(verdict: .answered(.excess))
        do throws(RequestFault) {
            if client.isExcess { throw .excess }
            guard areWhole else { throw .hiddenBytes }
            let head = try RequestHead(
                method: method, target: target, headers, from: client.peer, limits)
            incoming.head = head
            incoming.verdict = requestGuard.check(head, at: now)
            if try body.get() > limits.bodyBytes { throw .bodyTooLarge(limits.bodyBytes) }
        } catch {
            incoming.verdict = .answered(error.answer)
        }
        client.phase = .receiving(incoming)
        // An early answer spares the client its body, and ends the connection.
        guard case .answered(let answer) = incoming.verdict, body != .success(0) else {
            return true
        }
        return respond(connection, client, answer, closing: true)
    }

    func bodyArrived(_ connection: MicroHTTPConnection, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let client = table[connection.socket], case .receiving(var incoming) = client.phase
        else { return false }
        client.phase = .idle
        if incoming.body.count + bytes.count <= limits.bodyBytes, incoming.dropped == 0 {
            incoming.body.append(contentsOf: bytes)
        } else {
            // The answer can only follow the body.
            incoming.dropped += bytes.count
            incoming.body = []
            incoming.verdict = .answered(RequestFault.bodyTooLarge(limits.bodyBytes).answer)
        }
        client.phase = .receiving(incoming)
        return incoming.dropped <= 16 * limits.bodyBytes
    }

    func requestArrived(_ connection: MicroHTTPConnection) -> Bool {
        guard let client = table[connection.socket], case .receiving(let incoming) = client.phase
        else { return false }
        switch incoming.verdict {
        case .answered(let answer):
            return respond(
                connection, client, answer, closing: client.isExcess || incoming.dropped > 0)
        case .admitted(let admission):
            guard let head = incoming.head else { return false }
            let request = Request(
                head, body: incoming.body, parameters: admission.parameters,
                scope: admission.principal.scope, client: admission.principal.name, at: now)
            let response = requestGuard.router.routes[admission.route].handler(request)
            return respond(
                connection, client, RequestGuard.Answer(response, route: admission.route),
                isHead: head.method == .head)
        }
    }

    func ended(_ connection: MicroHTTPConnection) {
        guard let client = table[connection.socket] else { return }
        endStream(of: client)
        client.phase = .idle
        client.advanced = now
        setDeadline(of: client, at: now + limits.requestTime)
    }

    // MARK: Responses

    private func respond(
        _ connection: MicroHTTPConnection, _ client: Client, _ answer: RequestGuard.Answer,
        closing: Bool = false, isHead: Bool = false
    ) -> Bool {
        if let refusal = answer.refusal { counters.count(refusal) }
        var response = answer.response
        counters.count(response.status, of: answer.route)
        response.headers.addMissing(security.fields)
        if closing { response.headers.add("connection", "close") }
        client.phase = .responding(end: now + limits.responseTime)
        client.advanced = now
        setDeadline(of: client, at: now + limits.silence)
        let onSending = { [unowned self] (count: Int) in
            client.advanced = now
            counters.bytes &+= UInt64(count)
        }
        switch response.body {
        case .bytes(let bytes) where isHead || bytes.isEmpty:
            return connection.send(response.status, response.headers, bytes)
        case .bytes(let bytes):
            return connection.send(
                response.status, response.headers, PartReader(bytes), size: bytes.count, onSending)
        case .parts(let next) where !isHead:
            return connection.send(
                response.status, response.headers, PartReader(next), onSending)
        case .stream where isHead, .parts:
            return connection.send(response.status, response.headers, [])
        case .stream(let stream):
            let isBrief = counters.streams >= limits.streams
            let reader = StreamReader(stream, isBrief: isBrief) { [unowned self] in
                needsRun = true
                connection.resume()
            }
            if isBrief {
                counters.count(.streams)
            } else {
                counters.streams += 1
                client.phase = .streaming(reader)
            }
            return connection.send(response.status, response.headers, reader, onSending)
        }
    }

    private func endStream(of client: Client) {
        guard case .streaming(let reader) = client.phase else { return }
        client.phase = .idle
        reader.leave()
        counters.streams -= 1
        if reader.isTooSlow { counters.count(.slow) }
    }

    private func setDeadline(of client: Client, at deadline: Instant) {
        client.deadline = deadline
        table.noteDeadline(of: client)
    }
}
