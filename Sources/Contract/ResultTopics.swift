/// The topics of a server's results. They have a root of their own: any level below a site's topic may be a gateway.
package struct ResultTopics: Hashable, Sendable {
    package let root: String

    /// The longest time between two publications of a queue's state.
    package static let longestPause = Duration.seconds(30)

    /// The default root.
    package static let usualRoot = "sightline/results/v1"

    /// - Parameter root: one that `Topics.isRoot` accepts.
    package init(root: String = ResultTopics.usualRoot) { self.root = root }

    /// What belongs to a queue.
    package enum Kind: String, CaseIterable, Sendable {
        /// The present state. Retained.
        case now = ""
        case minutes = "/minutes"
        case visits = "/visits"
        /// A till's own count. Tills publish it, and the server reads it.
        case served = "/served"
    }

    package func topic(_ kind: Kind = .now, site: String, queue: String) -> String {
        "\(root)/\(site)/queues/\(queue)\(kind.rawValue)"
    }

    /// The subscription to one kind of message, of all sites or queues where `nil`.
    package func filter(_ kind: Kind, site: String? = nil, queue: String? = nil) -> String {
        topic(kind, site: site ?? "+", queue: queue ?? "+")
    }

    /// The state of a server, which the broker sets to `offline` by its will.
    package func status(of server: String) -> String { "\(root)/status/\(server)" }

    /// The server whose state `topic` has; `nil` for other topics.
    package func server(of topic: String) -> String? {
        let start = status(of: "")
        guard topic.hasPrefix(start) else { return nil }
        let name = String(topic.dropFirst(start.count))
        return Topics.isName(name) ? name : nil
    }

    /// The site, the queue and the kind of a message on `topic`; `nil` for other topics.
    package func parse(_ topic: String) -> (site: String, queue: String, kind: Kind)? {
        guard topic.hasPrefix(root + "/") else { return nil }
        let levels = topic.dropFirst(root.count + 1)
            .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (3...4).contains(levels.count), levels[1] == "queues", Topics.isName(levels[0]),
            Topics.isName(levels[2]),
            let kind = Kind(rawValue: levels.count == 4 ? "/" + levels[3] : "")
        else { return nil }
        return (levels[0], levels[2], kind)
    }
}
