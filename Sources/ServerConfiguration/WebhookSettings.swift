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
