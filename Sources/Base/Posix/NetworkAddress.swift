import Primitives

/// Hosts and ports as people write them.
package enum NetworkAddress {
    /// Reads `HOST:PORT`, an IPv6 address in brackets; the port may be left out where there is a usual one.
    package static func parse(
        _ text: some StringProtocol, usualPort: UInt16? = nil
    ) -> (host: String, port: UInt16)? {
        var host = text[...]
        var port = usualPort
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            let digits = text[text.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            host = text[..<colon]
            port = UInt16(digits)
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard let port, port > 0, isHost(String(host)) else { return nil }
        return (String(host), port)
    }

    /// Whether `text` can be a host name or address, without scheme, path and port.
    package static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0...0x20, 0x7f, UInt8(ascii: "/"), UInt8(ascii: "["), UInt8(ascii: "]"),
                    UInt8(ascii: "@"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                    false
                default: true
                }
            } && (!text.contains(":") || isIPv6(text))
    }

    /// Two colons at least: with one, it is a host and a port.
    private static func isIPv6(_ text: String) -> Bool {
        text.utf8.filter { $0 == UInt8(ascii: ":") }.count >= 2
    }
}

/// The lookup of a host's addresses within a limit. Without an answer, getaddrinfo(3) blocks for half a minute.
///
/// A lookup that exceeds the limit continues, and the next attempt waits for the same result: at most one thread runs.
package final class HostLookup {
    /// Returns the addresses of a host, none when it does not resolve; may block.
    package typealias Resolver =
        @Sendable (_ host: String, _ port: UInt16) -> [Sockets.ResolvedAddress]

    /// The system's resolver.
    package static let system: Resolver = { Sockets.resolve($0, $1) }

    /// The time that a lookup may delay its caller.
    package static let limit: Duration = .seconds(2)

    private let resolver: Resolver
    private var running: BlockingCall<[Sockets.ResolvedAddress]>?

    package init(resolver: @escaping Resolver = HostLookup.system) { self.resolver = resolver }

    /// The addresses of the host, which is the same in each call; `nil` if they are not known within the limit.
    ///
    /// A numeric address needs no resolver.
    package func addresses(
        of host: String, port: UInt16
    ) throws(Errno) -> [Sockets.ResolvedAddress]? {
        let numeric = Sockets.resolve(host, port, isNumeric: true)
        guard numeric.isEmpty else { return numeric }
        let resolver = resolver
        let call: BlockingCall<[Sockets.ResolvedAddress]>
        if let running {
            call = running
        } else {
            call = try BlockingCall(thread: "lookup") { resolver(host, port) }
        }
        running = call
        let addresses = try call.result(within: Self.limit)
        if addresses != nil { running = nil }
        return addresses
    }
}
