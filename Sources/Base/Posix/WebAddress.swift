/// The address of a program on the web: `http://HOST:PORT/PATH`, or with `https`.
package struct WebAddress: Equatable, Sendable {
    package private(set) var isTLS = false
    package private(set) var host = "localhost"
    package private(set) var port: UInt16 = 80
    /// With the query.
    package private(set) var path = "/"

    package init() {}

    package init?(_ text: String) {
        isTLS = text.hasPrefix("https://")
        guard isTLS || text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst(isTLS ? "https://".count : "http://".count)
        let place = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(place.count)
        guard let (host, port) = NetworkAddress.parse(place, usualPort: isTLS ? 443 : 80),
            host.utf8.allSatisfy({ $0 < 0x7f }), path.utf8.count <= 2000,
            path.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") })
        else { return nil }
        (self.host, self.port) = (host, port)
        if !path.isEmpty { self.path = String(path) }
    }

    /// Whether it is on this machine.
    package var isLocal: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// `HOST:PORT`.
    package var place: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension WebAddress: CustomStringConvertible {
    package var description: String { "\(isTLS ? "https" : "http")://\(place)\(path)" }
}
