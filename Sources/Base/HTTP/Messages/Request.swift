import Posix
import Primitives

/// A request without its body.
package struct RequestHead: Sendable {
    package let method: Method
    package let target: RequestTarget
    package let headers: Headers
    /// The client's address: the socket's, or the one that a proxy on a Unix socket states.
    package let peer: PeerAddress

    package init(
        _ method: Method, _ target: RequestTarget, _ headers: Headers, from peer: PeerAddress
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.peer = peer
    }

    /// The host that the client addressed, with its port.
    package var host: String? { target.authority ?? headers["host"] }
}

/// A complete request that the guards have admitted, as its route's handler gets it.
package struct Request: Sendable {
    package let head: RequestHead
    package let body: [UInt8]
    /// The values of the route's parameters by name; none is empty.
    package let parameters: [String: String]
    /// What the client may do.
    package let scope: Scope?
    /// The name of the client's token; `nil` for a client without one.
    package let client: String?
    package let arrival: Instant

    package init(
        _ head: RequestHead, body: [UInt8] = [], parameters: [String: String] = [:],
        scope: Scope? = nil, client: String? = nil, at arrival: Instant
    ) {
        self.head = head
        self.body = body
        self.parameters = parameters
        self.scope = scope
        self.client = client
        self.arrival = arrival
    }

    package var method: Method { head.method }
    package var path: [String] { head.target.path }
    package var query: [RequestTarget.QueryItem] { head.target.query }
    package var headers: Headers { head.headers }

    /// The value of the first query item with this name.
    package func query(_ name: String) -> String? { head.target[name] }
}
