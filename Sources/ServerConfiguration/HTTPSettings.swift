import Configuration
import Contract
import JSON
import Posix

/// The page and the API: the section `http` of the server's file.
package struct HTTPSettings: ConfigurationSection {
    package var listen = ListenAddress.tcp(host: "127.0.0.1", port: 8480)
    /// The names that browsers may use for the server, beside the address itself.
    package var hosts: [String] = []
    /// The file with the tokens; `nil` without tokens.
    package var tokens: String?
    /// Whether the scope `public` needs no token.
    package var isPublic = true

    package init() {}

    /// Whether more than the programs of this machine may send requests: tokens are required.
    package var isReachable: Bool { !listen.isLocal || !hosts.isEmpty }

    package static let help = "The page and the API."
    package static let keys: [ConfigurationKey<HTTPSettings>] = [
        .value(
            "listen", \.listen, .listenAddress, effect: .afterRestart,
            help:
                "HOST:PORT, or unix: and the path of a socket. An address that other machines can "
                + "reach needs tokens. A reverse proxy in front adds TLS."),
        .value(
            "hosts", \.hosts, .hosts, effect: .afterRestart, example: ["queues.example"],
            help: "The names that browsers use for the server, such as the name at the reverse "
                + "proxy. The server refuses requests with another Host. Names need tokens."),
        .optional(
            "tokens", \.tokens, .path,
            example: "/etc/sightline-server/tokens.json",
            help:
                "The file of the tokens of readers, which SIGHUP reads again: an object with \"tokens\", a list of objects with "
                + "name, scope and sha256. The scope is public for the present state of queues, "
                + "regions, zones and gateways, for the plan of a site and for typical days, or read for everything, also the beacons of gateways. manage opens "
                + "changes as well: labels of places, and regions. sha256 is the token's digest: printf %s TOKEN | sha256sum."
        ),
        .value(
            "public", \.isPublic, .bool,
            help: "Whether the scope public needs no token."),
    ]

    package static let rules: JSON = [
        "if": ["required": ["hosts"], "properties": ["hosts": ["minItems": 1]]],
        "then": ["required": ["tokens"]],
    ]

    package func complete(_ reader: inout ObjectReader) {
        guard !reader.has("tokens") else { return }
        if !listen.isLocal {
            reader.note(
                "tokens", .missing,
                "tokens is required where listen, \(listen), is an address that other machines can "
                    + "reach")
        } else if !hosts.isEmpty {
            reader.note(
                "tokens", .missing,
                "tokens is required where hosts has names: through a reverse proxy, everybody could "
                    + "read everything")
        }
    }
}

extension KeyType<[String]> {
    fileprivate static let hosts = KeyType(
        schema: [
            "type": "array", "maxItems": .integer(Int64(mostHosts)),
            "items": KeyType<String>.host.schema,
        ],
        limits: "at most \(mostHosts)", json: { .array($0.map { .string($0) }) }
    ) { reader, key in
        guard reader.has(key) else { return nil }
        return reader.parsedArray(
            key, atMost: mostHosts, expecting: "a host name or an address, without port"
        ) { NetworkAddress.isHost($0) ? $0 : nil }
    }

    private static let mostHosts = 16
}
