import JSON

/// A fault for the client, as a problem document (RFC 9457).
package struct Problem: Error, Equatable, Sendable {
    package let status: Status
    /// One sentence: the thing, the expectation, the remedy.
    package let detail: String
    /// The request's path, where it helps.
    package var instance: String?
    package var headers: Headers
    /// Further members of the document.
    package var members: [JSON.Member]

    package init(
        _ status: Status, _ detail: String, instance: String? = nil, headers: Headers = [:],
        members: [JSON.Member] = []
    ) {
        self.status = status
        self.detail = detail
        self.instance = instance
        self.headers = headers
        self.members = members
    }

    /// `type` is `about:blank`: the status says all about the kind of fault (section 4.2.1).
    package var json: JSON {
        var document: [JSON.Member] = [
            JSON.Member("type", "about:blank"),
            JSON.Member("title", .string(status.phrase ?? "Error")),
            JSON.Member("status", .integer(Int64(status.rawValue))),
            JSON.Member("detail", .string(detail)),
        ]
        if let instance { document.append(JSON.Member("instance", .string(instance))) }
        return .object(document + members)
    }

    package var response: Response {
        var headers = headers
        headers.add("content-type", "application/problem+json")
        return Response(status, headers: headers, body: json.bytes)
    }
}

extension Problem {
    /// The same problem in the document that answers a request for `path`.
    func at(_ path: [String]) -> Problem {
        var problem = self
        problem.instance = instance ?? "/" + path.joined(separator: "/")
        return problem
    }

    /// A refusal that ends after a while.
    static func retry(_ status: Status, after seconds: Int64, _ detail: String) -> Problem {
        Problem(status, detail, headers: ["retry-after": String(max(1, seconds))])
    }
}
