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
