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
