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
    package var headers: Headers { head.headers }

    /// The value of the first query item with this name.
    package func query(_ name: String) -> String? { head.target[name] }
}

/// A request's method (RFC 9110, section 9); other methods are answered with 501.
package enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case options = "OPTIONS"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case trace = "TRACE"

    /// Whether it only reads (RFC 9110, section 9.2.1).
    package var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        case .post, .put, .patch, .delete: false
        }
    }
}

/// The header fields of a message, in their order (RFC 9110, section 5).
package struct Headers: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// A field with its name in lower case.
    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: String
    }

    package private(set) var fields: [Field] = []

    package init() {}

    package init(dictionaryLiteral fields: (String, String)...) {
        for (name, value) in fields { add(name, value) }
    }

    /// The value of the first field with this name; the case of letters does not matter.
    package subscript(name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name == name }?.value
    }

    /// The values of all fields with this name.
    package func all(_ name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name == name }.map(\.value)
    }

    package mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name.lowercased(), value: value))
    }

    /// Adds the fields of `others` whose names are not present.
    package mutating func addMissing(_ others: Headers) {
        for field in others.fields where self[field.name] == nil { fields.append(field) }
    }

    /// Whether each name is a token (RFC 9110, section 5.6.2).
    package var areNamed: Bool {
        fields.allSatisfy { field in
            !field.name.isEmpty && field.name.utf8.allSatisfy(Self.tokenBytes.contains)
        }
    }

    /// Of names in lower case.
    private static let tokenBytes = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    /// The bytes of all names and values.
    package var size: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }
}
