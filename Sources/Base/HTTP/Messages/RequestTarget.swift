/// A request's target, decoded (RFC 9112, section 3.2): `/api/v1/sites?limit=10`.
package struct RequestTarget: Equatable, Sendable {
    /// A pair of the query.
    package struct QueryItem: Equatable, Sendable {
        package let name: String
        package let value: String
    }

    /// The path's segments. `/` has one, which is empty; no segment is `.` or `..` or contains a slash.
    package let path: [String]
    package let query: [QueryItem]
    /// The host in an absolute target, which replaces the `Host` field.
    package let authority: String?

    /// Bounds that no target of this server needs.
    package static let maxBytes = 4096
    package static let maxSegments = 32
    package static let maxQueryItems = 64

    /// Why a target is refused.
    package enum Fault: Error, Equatable, Sendable {
        case tooLong
        /// Neither a path from the root nor an absolute target.
        case noPath
        /// A broken percent escape, a control character, or text that is not UTF-8.
        case badEncoding
        /// A segment `.` or `..`, or one that contains a slash.
        case unsafeSegment
    }

    package init(parsing bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= Self.maxBytes else { throw .tooLong }
        // No program sends a fragment or a blank (RFC 9112, section 3.2).
        guard !bytes.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: " ") })
        else { throw .badEncoding }
        var rest = bytes[...]
        authority = try Self.removeAuthority(from: &rest)
        // For OPTIONS: the server as a whole.
        if rest.elementsEqual("*".utf8) { rest = Array("/".utf8)[...] }
        guard rest.first == UInt8(ascii: "/") else { throw .noPath }
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        path = try Self.segments(rest[..<(mark ?? rest.endIndex)].dropFirst())
        query =
            try mark.map { mark throws(Fault) in try Self.items(rest[mark...].dropFirst()) } ?? []
    }

    /// The value of the first query item with this name.
    package subscript(name: String) -> String? { query.first { $0.name == name }?.value }

    private static func removeAuthority(
        from target: inout ArraySlice<UInt8>
    ) throws(Fault) -> String? {
        let schemes = ["http://", "https://"]
        guard let scheme = schemes.first(where: { target.starts(with: $0.utf8) }) else {
            return nil
        }
        let rest = target.dropFirst(scheme.utf8.count)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        guard let end, end > rest.startIndex, rest[end] == UInt8(ascii: "/"),
            let authority = PercentDecoding.decode(rest[..<end])
        else { throw .noPath }
        target = rest[end...]
        return authority
    }

    private static func segments(_ path: ArraySlice<UInt8>) throws(Fault) -> [String] {
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count <= maxSegments else { throw .tooLong }
        var segments: [String] = []
        for part in parts {
            guard let segment = PercentDecoding.decode(part) else { throw .badEncoding }
            guard segment != ".", segment != "..",
                !segment.utf8.contains(where: {
                    $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
                })
            else { throw .unsafeSegment }
            segments.append(segment)
        }
        return segments
    }

    private static func items(_ query: ArraySlice<UInt8>) throws(Fault) -> [QueryItem] {
        let parts = query.split(separator: UInt8(ascii: "&"))
        guard parts.count <= maxQueryItems else { throw .tooLong }
        var items: [QueryItem] = []
        for part in parts {
            let mark = part.firstIndex(of: UInt8(ascii: "="))
            let value = mark.map { part[$0...].dropFirst() } ?? []
            guard
                let name = PercentDecoding.decode(
                    part[..<(mark ?? part.endIndex)], plusIsSpace: true),
                let text = PercentDecoding.decode(value, plusIsSpace: true)
            else { throw .badEncoding }
            items.append(QueryItem(name: name, value: text))
        }
        return items
    }
}

extension RequestTarget.Fault {
    /// The answer to the request.
    var problem: Problem {
        switch self {
        case .tooLong:
            Problem(
                .targetTooLong,
                "The request's target exceeds \(RequestTarget.maxBytes) bytes, "
                    + "\(RequestTarget.maxSegments) segments or "
                    + "\(RequestTarget.maxQueryItems) query items; shorten it.")
        case .noPath:
            Problem(
                .badRequest,
                "The request's target is not a path; send one that begins with a slash.")
        case .badEncoding:
            Problem(
                .badRequest,
                "The request's target is not percent-encoded UTF-8; encode its special characters.")
        case .unsafeSegment:
            Problem(
                .badRequest,
                "The request's path has a segment “.” or “..”, or an encoded slash; "
                    + "send a plain path.")
        }
    }
}

/// Percent-encoding of targets (RFC 3986, section 2.1).
enum PercentDecoding {
    /// The text that `encoded` stands for; `nil` for a broken escape, a control character, or text that is not UTF-8.
    static func decode(_ encoded: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var rest = encoded
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit),
                    let low = rest.popFirst().flatMap(digit)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
