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
