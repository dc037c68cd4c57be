import Posix
import Primitives

/// An HTTP/1.1 server without threads, for its owner's poll loop.
///
/// The owner waits for `interests` or until `deadline`, then calls `service`. Handlers run in `service` and must not wait.
package final class HTTPServer {
    /// What a server needs besides its routes.
    package struct Options {
        package var listening: [Listening] = [.tcp(host: "127.0.0.1", port: 0)]
        package var limits = HTTPLimits()
        /// Host names besides `localhost` and the loopback addresses.
        package var hosts: [String] = []
        package var policy = AccessPolicy(anonymous: .manage)
        /// Replaces the strict one.
        package var contentSecurityPolicy: String?

        package init() {}
    }

    private let exchanges: Exchanges
    private let daemon: MicroHTTPD
    private var listeners: [HTTPListener]
    /// No connection is accepted before this time, since the process has no free descriptor.
    private var acceptsAgain: Instant?

    /// The connections that one call of `service` accepts from each listener.
    private static let acceptedAtOnce = 64
    private static let pauseWithoutDescriptors = Duration.milliseconds(200)

    /// - Parameter log: gets the library's own notes, for debugging.
    package init(
        _ options: Options, router: Router, at now: Instant,
        log: @escaping (String) -> Void = { _ in }
    ) throws(HTTPServerError) {
        var listeners: [HTTPListener] = []
        for listening in options.listening {
            listeners.append(try HTTPListener(listening))
        }
        let guarding = RequestGuard(
            router, hosts: HostNames(options.hosts), policy: options.policy, limits: options.limits)
        let security = SecurityHeaders(contentSecurityPolicy: options.contentSecurityPolicy)
        exchanges = Exchanges(
            guarding, limits: options.limits, security: security, at: now, report: log)
        let connections =
            options.limits.clients + HTTPLimits.politelyRefused + HTTPLimits.replacedAtOnce
        guard
            let daemon = MicroHTTPD(
                connections: connections, memory: options.limits.connectionMemory,
                exchanges: exchanges)
        else { throw .start }
        self.daemon = daemon
        self.listeners = listeners
    }

    /// The descriptors to wait for.
    package var interests: [Poll.Interest] {
        let accepting = acceptsAgain == nil ? listeners.map { Poll.Interest($0.number) } : []
        return accepting + [Poll.Interest(daemon.descriptor)]
    }

    /// When `service` is to be called even without an event; `nil` for never. A published event makes it due.
    package var deadline: Instant? {
        let ours = Instant.earliest(exchanges.deadline, acceptsAgain)
        guard let timeout = daemon.timeout else { return ours }
        return Instant.earliest(ours, exchanges.now + timeout)
    }

    /// The ports of the TCP listeners.
    package var ports: [UInt16] { listeners.compactMap(\.port) }

    package var counters: HTTPCounters { exchanges.counters }

    /// Tokens and the rights without one; valid from the next request on.
    ///
    /// Another policy ends all streams. Their clients connect again, and are checked then.
    package var policy: AccessPolicy {
        get { exchanges.requestGuard.policy }
        set {
            guard newValue != policy else { return }
            exchanges.requestGuard.policy = newValue
            exchanges.endStreams()
        }
    }

    /// Accepts connections, and reads and answers requests as far as that is possible without waiting.
    package func service(at now: Instant) {
        exchanges.runBegins(at: now)
        if let again = acceptsAgain, again <= now { acceptsAgain = nil }
        for listener in listeners where acceptsAgain == nil { accept(from: listener) }
        daemon.run()
        exchanges.sweep()
    }

    private func accept(from listener: HTTPListener) {
        for _ in 0..<Self.acceptedAtOnce {
            do {
                guard let caller = try Sockets.acceptCaller(on: listener.number) else { return }
                add(caller)
            } catch .connectionAborted {
                continue
            } catch {
                exchanges.log("accepting a connection failed: \(error)")
                acceptsAgain = exchanges.now + Self.pauseWithoutDescriptors
                return
            }
        }
    }

    private func add(_ caller: Sockets.Caller) {
        let address = caller.address
        guard exchanges.admit(caller.number, from: address) else {
            caller.close(writing: Self.briefRefusal)
            return
        }
        if !daemon.add(caller.number, isUnix: address.isUnix) { exchanges.forget(caller.number) }
    }

    /// For connections beyond all limits. Their request stays unread.
    private static let briefRefusal = Array(
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            .utf8)
}

/// Why a server does not start.
package enum HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
    case listening(String, Errno)
    /// libmicrohttpd does not start, which needs memory and a few descriptors.
    case start

    package var description: String {
        switch self {
        case .listening(let place, let error):
            "the HTTP server can't listen on \(place): \(error); "
                + "check the address, and that no other program uses it"
        case .start:
            "the HTTP server can't start: libmicrohttpd lacks memory or descriptors; "
                + "raise the limits of the process"
        }
    }
}

/// What a server has done since its start.
package struct HTTPCounters: Equatable, Sendable {
    /// The requests of one route.
    package struct Answers: Equatable, Sendable {
        /// Informational responses first, then success, and so on: `2` is at index 1.
        package fileprivate(set) var byClass: [UInt64] = [0, 0, 0, 0, 0]
    }

    /// The answers of each route, in the router's order; those without a route last.
    package private(set) var routes: [Answers]
    /// Present connections and streams.
    package internal(set) var clients = 0
    package internal(set) var streams = 0
    package internal(set) var connections: UInt64 = 0
    /// Bytes of bodies and streams, without headers.
    package internal(set) var bytes: UInt64 = 0
    package private(set) var refused: [Refusal: UInt64] = [:]

    init(routes: Int) { self.routes = Array(repeating: Answers(), count: routes + 1) }

    mutating func count(_ status: Status, of route: Int?) {
        let index = status.statusClass - 1
        guard (0..<5).contains(index) else { return }
        let place = route ?? routes.count - 1
        routes[place].byClass[index] &+= 1
    }

    mutating func count(_ refusal: Refusal) { refused[refusal, default: 0] &+= 1 }
}
