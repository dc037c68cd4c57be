import Primitives

/// A strong entity tag, made of the content (RFC 9110, section 8.8.3).
package struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// With its quotes.
    package let description: String

    /// - Parameter suffix: what tells representations of one content apart, e.g. `-gz`.
    package init(of content: [UInt8], suffix: String = "") {
        let digest = SHA256Digest(of: content).description.prefix(32)
        description = "\"\(digest)\(suffix)\""
    }

    /// Whether the value of `If-None-Match` names this tag (section 13.1.2; weak comparison).
    package func matches(_ field: String) -> Bool {
        field.split(separator: ",").contains { candidate in
            let candidate = candidate.drop { $0 == " " || $0 == "\t" }
            let tag = candidate.hasPrefix("W/") ? candidate.dropFirst(2) : candidate
            let end = tag.lastIndex { $0 != " " && $0 != "\t" }
            return end.map { tag[...$0] == "*" || tag[...$0] == description } ?? false
        }
    }
}

extension Response {
    /// The response with an entity tag; 304 without a body when the client has this content already.
    package func tagged(_ tag: EntityTag, for request: Request) -> Response {
        var response = adding("etag", tag.description)
        let isRead = request.method == .get || request.method == .head
        if isRead, status == .ok, request.headers.all("if-none-match").contains(where: tag.matches)
        {
            response.status = .notModified
        }
        return response
    }
}
