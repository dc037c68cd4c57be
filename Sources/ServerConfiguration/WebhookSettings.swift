import Configuration
import Contract
import JSON
import Posix

/// Where the server posts its events: the section `webhook` of its file.
package struct WebhookSettings: ConfigurationSection, Equatable {
    /// The kinds of documents, by their `kind`.
    package enum Event: String, CaseIterable, Sendable {
        case region = "region-event"
        case beacon = "beacon-event"
    }

    package var address = WebAddress()
    package var events = Event.allCases
    package var caFile: String?

    package init() {}

    package static let help =
        "A program that hears of events: the server posts each one there as JSON, once it is stored. "
        + "Without this section, it posts nothing."
    package static let keys: [ConfigurationKey<WebhookSettings>] = [
        .value(
            "url", \.address, .webAddress, isRequired: true,
            example: "http://127.0.0.1:9000/sightline",
            help: "Its address. A secret in the path is in no log and no answer of the server."),
        .value(
            "events", \.events, .events,
            example: .array(Event.allCases.map { .string($0.rawValue) }),
            help: "region-event: a beacon has entered a region or left it. beacon-event: a "
                + "registered beacon is missing, found, moved or copied, or its battery ends."),
        .optional(
            "caFile", \.caFile, .path, example: "/etc/sightline-server/ca.pem",
            help: "The certificates to trust for https. The default are those of the system."),
    ]
}

extension KeyType<[WebhookSettings.Event]> {
    fileprivate static let events = KeyType(
        schema: [
            "type": "array", "maxItems": .integer(Int64(WebhookSettings.Event.allCases.count)),
            "items": ["enum": .array(WebhookSettings.Event.allCases.map { .string($0.rawValue) })],
        ], json: { .array($0.map { .string($0.rawValue) }) }
    ) { reader, key in
        guard reader.has(key) else { return nil }
        return reader.parsedArray(
            key, atMost: WebhookSettings.Event.allCases.count,
            expecting: "region-event or beacon-event"
        ) { WebhookSettings.Event(rawValue: $0) }
    }
}

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

    /// `HOST:PORT`.
    package var place: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension KeyType<WebAddress> {
    fileprivate static let webAddress = parsed(
        expecting: "http:// or https://, a host, and a path",
        schema: [
            "type": "string", "pattern": "^https?://[^\\s/@?#]+(?:/[!-\"$-~]{0,1999})?$",
        ], json: { "\($0.isTLS ? "https" : "http")://\($0.place)\($0.path)" },
        parse: { WebAddress($0) })
}
