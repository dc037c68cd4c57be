import Contract
import Posix
import Primitives
import Subscriber

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

/// The names of the gateways that a command has last seen, for the completions of a shell.
///
/// A file in the user's cache folder, with a line `SITE/GATEWAY` each.
package struct NameCache {
    private let path: String?

    private static let maxBytes = 4 << 20
    /// Older names may be gone.
    private static let lifetime = Duration.seconds(7 * 86_400)

    package init(_ environment: Environment = Environment()) {
        path = environment.cacheFolder.map { "\($0)/gateways" }
    }

    /// Replaces the names. A cache that can't be written is no fault of the command.
    package func store(_ names: some Sequence<GatewayName>) {
        guard let path else { return }
        let text = names.map { "\($0)\n" }.sorted().joined()
        do throws(Errno) {
            try File.makeFolders(File.folder(of: path))
            try File.replace(path, with: Array(text.utf8))
        } catch {}
    }

    /// The names, unless they are old.
    ///
    /// - Parameter wall: this machine's wall clock.
    package func names(wall: UnixTime) -> [GatewayName] {
        guard let path, let written = File.modified(path),
            wall - written < Self.lifetime,
            let bytes = try? File.contents(of: path, maxBytes: Self.maxBytes)
        else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ Topics.isName(String($0)) }) else {
                return nil
            }
            return GatewayName(site: String(parts[0]), id: String(parts[1]))
        }
    }
}
