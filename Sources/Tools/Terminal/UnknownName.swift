import Primitives

/// The refusal of a site or a gateway without any message on the broker.
package enum UnknownName {
    private static let most = 3

    /// The sentence for a root without a gateway.
    package static func noGateway(below root: String) -> String {
        "no gateway has published below \(root.printable(limit: 200)) on this broker; check --broker, --root, "
            + "what the broker lets this user read, and whether it delivers retained messages to wildcard "
            + "subscriptions"
    }

    /// The sentence for a broker that keeps no retained messages, so that none of them shows nothing.
    package static func noRetainedMessages(at broker: String) -> String {
        "broker \(broker) keeps no retained messages: gateways appear with their next message"
    }

    /// One sentence with the nearest names: `site stor-4 is unknown; did you mean store-4?`
    ///
    /// - Parameters:
    ///   - place: what is unknown, as a noun phrase.
    ///   - word: its name.
    package static func sentence(
        _ place: String, nearest word: String, among known: [String]
    ) -> String {
        let near = NearestWord.all(to: word, among: known).prefix(most)
        let advice =
            if !near.isEmpty {
                "did you mean \(near.joined(separator: " or "))?"
            } else {
                known.isEmpty ? "no other name is known" : "known: \(known.firstFew)"
            }
        return "\(place) is unknown; \(advice)"
    }
}

extension [String] {
    /// The first three names and the number of the others.
    package var firstFew: String {
        let most = 3
        guard count > most else { return joined(separator: ", ") }
        return prefix(most).joined(separator: ", ") + " and \((count - most).grouped) more"
    }
}
