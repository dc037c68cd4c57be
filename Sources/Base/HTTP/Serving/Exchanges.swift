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
            case .streaming(let reader, let progress):
                guard reader.isSuspended || reader.delivered > progress else {
                    counters.count(.slow)
                    reader.leave()
                    Sockets.shutDown(descriptor)
                    continue
                }
                client.phase = .streaming(reader, progress: reader.delivered)
                setDeadline(of: client, in: limits.streamSilence)
                reader.sendComment()
            case .idle:
                Sockets.shutDown(descriptor)
            case .began, .receiving, .responding:
                counters.count(.timeout)
                Sockets.shutDown(descriptor)
            }
        }
    }

    /// Wakes and ends all streams, before the daemon stops.
    func endStreams() {
        for client in table.clients.values {
            if case .streaming(let reader, _) = client.phase { reader.end() }
        }
    }

    // MARK: Requests

    func began(_ connection: MicroHTTPConnection, target: [UInt8]) {
        table[connection.socket]?.phase = .began(target: target)
    }

    func headersArrived(_ connection: MicroHTTPConnection, method: String) -> Bool {
        guard let client = table[connection.socket], case .began(let target) = client.phase else {
            return false
        }
        let headers = connection.headers()
        let body = BodyFraming(headers)
        var incoming = Client.Incoming(verdict: .answered(.excess))
        do throws(RequestFault) {
            if client.isExcess { throw .excess }
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
        setDeadline(of: client, in: limits.requestTime)
    }

    // MARK: Responses

    private func respond(
        _ connection: MicroHTTPConnection, _ client: Client, _ answer: RequestGuard.Answer,
        closing: Bool = false, isHead: Bool = false
    ) -> Bool {
        var answer = answer
        if case .stream = answer.response.body, !isHead, counters.streams >= limits.streams {
            answer = RequestGuard.Answer(.tooManyStreams, .streams, route: answer.route)
        }
        if let refusal = answer.refusal { counters.count(refusal) }
        var response = answer.response
        counters.count(response.status, of: answer.route)
        response.headers.addMissing(security.fields)
        if closing { response.headers.add("connection", "close") }
        client.phase = .responding
        setDeadline(of: client, in: limits.responseTime)
        switch response.body {
        case .bytes(let bytes):
            counters.bytes &+= isHead ? 0 : UInt64(bytes.count)
            return connection.send(response.status, response.headers, bytes)
        case .parts(let next) where !isHead:
            let reader = PartReader { [unowned self] () throws(Problem) in
                let part = try next()
                counters.bytes &+= UInt64(part?.count ?? 0)
                return part
            }
            return connection.send(response.status, response.headers, reader)
        case .stream where isHead, .parts:
            return connection.send(response.status, response.headers, [])
        case .stream(let stream):
            let reader = StreamReader(stream) { [unowned self] in
                needsRun = true
                connection.resume()
            }
            counters.streams += 1
            client.phase = .streaming(reader, progress: 0)
            setDeadline(of: client, in: limits.streamSilence)
            return connection.send(response.status, response.headers, reader)
        }
    }

    private func endStream(of client: Client) {
        guard case .streaming(let reader, _) = client.phase else { return }
        client.phase = .idle
        reader.leave()
        counters.streams -= 1
        counters.bytes &+= UInt64(reader.delivered)
        if reader.isTooSlow { counters.count(.slow) }
    }

    private func setDeadline(of client: Client, in time: Duration) {
        client.deadline = now + time
        table.noteDeadline(of: client)
    }
}
