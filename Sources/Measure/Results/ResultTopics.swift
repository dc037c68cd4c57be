import Contract

/// The topics of a server's results. They have a root of their own: any level below a site's topic may be a gateway.
package struct ResultTopics: Hashable, Sendable {
    package let root: String

    /// The longest time between two publications of a state.
    package static let longestPause = Duration.seconds(30)

    /// The default root.
    package static let usualRoot = "sightline/results/v1"

    /// - Parameter root: one that `Topics.isRoot` accepts.
    package init(root: String = ResultTopics.usualRoot) { self.root = root }

    /// What belongs to an item of a site, such as a queue.
    package struct Kind: Hashable, Sendable {
        /// The level of the topic that has the items, and the key of their list in the API.
        package let items: String
        /// The last level; `nil` for the present state, which is retained.
        package let level: String?
        /// The event of the server's stream; `nil` for none.
        package let event: String?
        /// The levels of an item's name; none where the message is of all items.
        package var itemLevels = 1

        /// The present state of a queue.
        package static let now = Kind(items: "queues", level: nil, event: "queue")
        package static let minutes = Kind(items: "queues", level: "minutes", event: "minute")
        package static let visits = Kind(items: "queues", level: "visits", event: nil)
        /// A till's own count. Tills publish it, and the server reads it.
        package static let served = Kind(items: "queues", level: "served", event: nil)
        /// The present state of a region.
        package static let region = Kind(items: "regions", level: nil, event: "region")
        package static let regionEvents = Kind(
            items: "regions", level: "events", event: "region-event")

        /// The present state of a registered beacon: its name is `UUID/MAJOR/MINOR`.
        package static let beacon = Kind(
            items: "beacons", level: nil, event: "beacon", itemLevels: 3)
        package static let beaconEvents = Kind(
            items: "beacons", level: "events", event: "beacon-event", itemLevels: 0)

        /// The present place of a registered beacon.
        package static let place = Kind(items: "places", level: nil, event: "place", itemLevels: 3)

        /// The present numbers of a zone of the plan.
        package static let zone = Kind(items: "zones", level: nil, event: "zone")

        package static let all = [
            now, minutes, visits, served, region, regionEvents, beacon, beaconEvents, place, zone,
        ]

        /// What follows the item in the topic.
        package var suffix: String { level.map { "/" + $0 } ?? "" }

        /// In messages for people, and for the rights that the broker gives: `queue/minutes`.
        package var name: String { items.dropLast() + suffix }
    }

    package func topic(_ kind: Kind = .now, site: String, item: String) -> String {
        let place = kind.itemLevels == 0 ? "" : "/\(item)"
        return "\(root)/\(site)/\(kind.items)\(place)\(kind.suffix)"
    }

    /// The subscription to one kind of message, of all sites or items where `nil`.
    package func filter(_ kind: Kind, site: String? = nil, item: String? = nil) -> String {
        let any = Array(repeating: "+", count: kind.itemLevels).joined(separator: "/")
        return topic(kind, site: site ?? "+", item: item ?? any)
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

    /// The site, the item and the kind of a message on `topic`; `nil` for other topics.
    package func parse(_ topic: String) -> (site: String, item: String, kind: Kind)? {
        guard topic.hasPrefix(root + "/") else { return nil }
        let levels = topic.dropFirst(root.count + 1)
            .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard levels.count >= 3, Topics.isName(levels[0]) else { return nil }
        let rest = levels.dropFirst(2)
        let kind = Kind.all.first {
            $0.items == levels[1] && rest.count == $0.itemLevels + ($0.level == nil ? 0 : 1)
                && ($0.level.map { rest.last == $0 } ?? true)
        }
        guard let kind else { return nil }
        let item = rest.prefix(kind.itemLevels)
        guard item.allSatisfy(Topics.isName) else { return nil }
        return (levels[0], item.joined(separator: "/"), kind)
    }
}
