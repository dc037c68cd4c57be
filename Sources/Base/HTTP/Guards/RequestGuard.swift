import Posix
import Primitives

/// Decides about each request before its body is read: rate, host, route, origin, token.
struct RequestGuard {
    /// A request that its route's handler may answer.
    struct Admission {
        let route: Int
        let parameters: [String: String]
        let principal: AccessPolicy.Principal
    }

    /// A request that the handler does not see.
    struct Answer {
        let response: Response
        var refusal: Refusal?
        /// The route, where the path led to one.
        var route: Int?

        init(_ problem: Problem, _ refusal: Refusal?, route: Int? = nil) {
            self.init(problem.response, refusal, route: route)
        }

        init(_ response: Response, _ refusal: Refusal? = nil, route: Int? = nil) {
            self.response = response
            self.refusal = refusal
            self.route = route
        }
    }

    enum Verdict {
        case admitted(Admission)
        case answered(Answer)
    }

    let router: Router
    let hosts: HostNames
    var policy: AccessPolicy
    private let limits: HTTPLimits
    private var rates: RequestRates

    init(_ router: Router, hosts: HostNames, policy: AccessPolicy, limits: HTTPLimits) {
        self.router = router
        self.hosts = hosts
        self.policy = policy
        self.limits = limits
        rates = RequestRates(limits)
    }

    mutating func check(_ head: RequestHead, at now: Instant) -> Verdict {
        if !limits.trusts(head.peer), let wait = rates.admit(head.peer.group, at: now) {
            return .answered(Answer(.tooManyRequests(after: wait), .rate))
        }
        if let answer = checkHost(of: head) { return .answered(answer) }
        let path = head.target.path
        switch router.match(head.method, path) {
        case .notFound:
            return .answered(
                Answer(
                    Problem(.notFound, "No resource has this path; check its spelling.").at(path),
                    nil))
        case .methodNotAllowed(let allowed):
            let problem = Problem(
                .methodNotAllowed,
                "This path does not support \(head.method.rawValue); use \(list(allowed)).",
                headers: ["allow": list(allowed)])
            return .answered(Answer(problem.at(path), nil))
        case .options(let allowed):
            return .answered(Answer(Response(.noContent, headers: ["allow": list(allowed)])))
        case .route(let index, let parameters):
            return admit(head, to: index, parameters)
        }
    }

    private func checkHost(of head: RequestHead) -> Answer? {
        guard let host = head.host else {
            return Answer(
                Problem(.badRequest, "The request has no Host field; send the server's name."),
                .host)
        }
        guard !hosts.contains(host) else { return nil }
        return Answer(
            Problem(
                .misdirectedRequest,
                "This server does not answer to the requested host name; "
                    + "add the name to the server's list of hosts."),
            .host)
    }

    private func admit(
        _ head: RequestHead, to index: Int, _ parameters: [String: String]
    ) -> Verdict {
        guard OriginCheck.accepts(head) else {
            let problem = Problem(
                .forbidden,
                "A page of another site sent this change; only this server's own pages may.")
            return .answered(Answer(problem.at(head.target.path), .origin, route: index))
        }
        let scope = router.routes[index].scope
        do {
            let principal = try policy.authorize(head.headers, for: scope)
            return .admitted(
                Admission(route: index, parameters: parameters, principal: principal))
        } catch {
            let answer = Self.answer(to: error, scope ?? .public, head.target.path)
            return .answered(Answer(answer.problem, answer.refusal, route: index))
        }
    }

    /// RFC 6750, section 3: the challenge names what the client lacks.
    private static func answer(
        to denial: AccessPolicy.Denial, _ scope: Scope, _ path: [String]
    ) -> (problem: Problem, refusal: Refusal) {
        switch denial {
        case .unauthorized(let isTokenUnknown):
            let detail =
                isTokenUnknown
                ? "The server does not know this token; send one that is in its token file."
                : "This resource needs a token with the scope “\(scope.rawValue)”; "
                    + "send one as “Authorization: Bearer”."
            let challenge = "Bearer" + (isTokenUnknown ? " error=\"invalid_token\"" : "")
            let problem = Problem(
                .unauthorized, detail, headers: ["www-authenticate": challenge])
            return (problem.at(path), .unauthorized)
        case .forbidden:
            let problem = Problem(
                .forbidden,
                "This token lacks the scope “\(scope.rawValue)”; send a token that has it.",
                headers: [
                    "www-authenticate":
                        "Bearer error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""
                ])
            return (problem.at(path), .forbidden)
        }
    }

    private func list(_ methods: [Method]) -> String {
        methods.map(\.rawValue).joined(separator: ", ")
    }
}

extension Problem {
    static func tooManyRequests(after wait: Duration) -> Problem {
        let seconds = wait.wholeSeconds + 1
        return .retry(
            .tooManyRequests, after: seconds,
            "This address sends more requests than the server admits; retry after \(seconds) s.")
    }
}

/// A reason for which a client does not get what it requested.
package enum Refusal: String, CaseIterable, Sendable {
    /// Too many connections, in all or of its address.
    case clients
    /// Too many streams: this one was brief.
    case streams
    /// Too many requests a second.
    case rate
    /// A host name that is not this server's.
    case host
    /// A change from another site's page.
    case origin
    /// No token or an unknown one.
    case unauthorized
    /// A token without the route's scope.
    case forbidden
    /// A target, a method or headers that break the standard.
    case malformed
    /// Headers or a body beyond the limit.
    case size
    /// A request or response that took too long.
    case timeout
    /// A stream's client that did not keep up.
    case slow
}

/// The names under which a server answers.
///
/// A page of another site whose name resolves to this machine (DNS rebinding) sends its own name as host.
package struct HostNames: Equatable, Sendable {
    private let names: Set<String>

    /// - Parameter names: in addition to `localhost` and the loopback addresses.
    package init(_ names: [String] = []) {
        self.names = Set(["localhost", "127.0.0.1", "[::1]"] + names.map { $0.lowercased() })
    }

    /// Whether `host`, with or without a port, is one of the names.
    package func contains(_ host: String) -> Bool {
        names.contains(Self.name(of: host.lowercased()))
    }

    private static func name(of host: String) -> String {
        guard let colon = host.utf8.lastIndex(of: UInt8(ascii: ":")) else { return host }
        let port = host.utf8[colon...].dropFirst()
        // The colons of an IPv6 address stand in brackets.
        guard port.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return host }
        return String(host[..<colon])
    }
}

/// Whether a change may come from where the client says it comes from.
enum OriginCheck {
    /// A browser states the page's origin with each change. Other programs send none and keep no credentials that a page
    /// could misuse.
    static func accepts(_ head: RequestHead) -> Bool {
        if head.method.isSafe { return true }
        if let site = head.headers["sec-fetch-site"], site != "same-origin", site != "none" {
            return false
        }
        guard let origin = head.headers["origin"] else { return true }
        guard let host = head.host?.lowercased() else { return false }
        return ["http://", "https://"].contains { origin.lowercased() == $0 + host }
    }
}
