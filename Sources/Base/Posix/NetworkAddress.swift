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
