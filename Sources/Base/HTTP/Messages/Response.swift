import JSON

/// The answer to a request.
package struct Response {
    package enum Body {
        case bytes([UInt8])
        /// A long body: each call makes a part of it, and the call after the last one returns `nil`.
        case parts(() throws(Problem) -> [UInt8]?)
        case stream(EventStream)
    }

    package var status: Status
    package var headers: Headers
    package var body: Body

    package init(_ status: Status, headers: Headers = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = .bytes(body)
    }

    /// A long answer, which the server makes in parts. The first one is made now, so that its faults have a status.
    package static func parts(
        type: String, _ next: @escaping () throws(Problem) -> [UInt8]?
    ) throws(Problem) -> Response {
        var first = try next()
        var response = Response(.ok, headers: ["content-type": type])
        response.body = .parts { () throws(Problem) in
            guard let part = first else { return try next() }
            first = nil
            return part
        }
        return response
    }

    /// Server-sent events, from a snapshot or from where the client left off.
    package static func stream(_ events: EventStream) -> Response {
        var response = Response(
            .ok,
            headers: [
                "content-type": "text/event-stream", "cache-control": "no-store",
                // nginx otherwise collects a response before it passes it on.
                "x-accel-buffering": "no",
            ])
        response.body = .stream(events)
        return response
    }

    package static func json(_ value: JSON, status: Status = .ok) -> Response {
        Response(status, headers: ["content-type": "application/json"], body: value.bytes)
    }

    /// JSON text that is written already.
    package static func json(_ bytes: [UInt8], status: Status = .ok) -> Response {
        Response(status, headers: ["content-type": "application/json"], body: bytes)
    }

    package static func text(_ text: String, type: String = "text/plain") -> Response {
        Response(
            .ok, headers: ["content-type": "\(type); charset=utf-8"], body: Array(text.utf8))
    }

    /// The same with one more field.
    package func adding(_ name: String, _ value: String) -> Response {
        var response = self
        response.headers.add(name, value)
        return response
    }

    /// The bytes of the body; `nil` for other bodies.
    package var bytes: [UInt8]? {
        guard case .bytes(let bytes) = body else { return nil }
        return bytes
    }
}

/// A response's status code (RFC 9110, section 15).
package struct Status: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let ok = Status(rawValue: 200)
    package static let accepted = Status(rawValue: 202)
    package static let noContent = Status(rawValue: 204)
    package static let notModified = Status(rawValue: 304)
    package static let badRequest = Status(rawValue: 400)
    package static let unauthorized = Status(rawValue: 401)
    package static let forbidden = Status(rawValue: 403)
    package static let notFound = Status(rawValue: 404)
    package static let methodNotAllowed = Status(rawValue: 405)
    package static let conflict = Status(rawValue: 409)
    package static let contentTooLarge = Status(rawValue: 413)
    package static let targetTooLong = Status(rawValue: 414)
    package static let misdirectedRequest = Status(rawValue: 421)
    package static let tooManyRequests = Status(rawValue: 429)
    package static let headersTooLarge = Status(rawValue: 431)
    package static let notImplemented = Status(rawValue: 501)
    package static let serviceUnavailable = Status(rawValue: 503)

    /// The first digit: 2 for success, 4 for a fault of the request, 5 for one of the server.
    package var statusClass: Int { Int(rawValue / 100) }

    /// The phrase of RFC 9110; `nil` for a code that this server does not name.
    package var phrase: String? {
        switch self {
        case .ok: "OK"
        case .accepted: "Accepted"
        case .noContent: "No Content"
        case .notModified: "Not Modified"
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .conflict: "Conflict"
        case .contentTooLarge: "Content Too Large"
        case .targetTooLong: "URI Too Long"
        case .misdirectedRequest: "Misdirected Request"
        case .tooManyRequests: "Too Many Requests"
        case .headersTooLarge: "Request Header Fields Too Large"
        case .notImplemented: "Not Implemented"
        case .serviceUnavailable: "Service Unavailable"
        default: nil
        }
    }
}
