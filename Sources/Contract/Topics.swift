/// The topics of one gateway (config/contract/README.md).
package struct Topics: Hashable, Sendable {
    /// A caller that assigns a root or a name checks it first: `isRoot`, `isName`.
    package var root: String
    package var site: String
    package var gateway: String

    /// The default root.
    package static let usualRoot = "sightline/v1"

    /// `nil` if a part contains invalid characters.
    package init?(root: String = Topics.usualRoot, site: String, gateway: String) {
        guard Self.isRoot(root), Self.isName(site), Self.isName(gateway) else { return nil }
        self.root = root
        self.site = site
        self.gateway = gateway
    }

    /// A gateway without a name: messages on standard output carry it where there is no configuration.
    package static let unnamed = Topics(checked: usualRoot, "local", "local")

    private init(checked root: String, _ site: String, _ gateway: String) {
        self.root = root
        self.site = site
        self.gateway = gateway
    }

    /// The messages that an agent publishes.
    package enum Kind: String, CaseIterable, Sendable {
        case sightings
        case status
        case health
        case reported = "config/reported"
        /// Where Home Assistant is shown who is near.
        case trackers
    }

    /// Whose configuration a document is.
    package enum Layer: String, CaseIterable, Sendable {
        case fleet
        case site
        case gateway
    }

    /// The common prefix of the gateway's topics.
    package var place: String { "\(root)/\(site)/\(gateway)" }

    /// The topics of a place.
    package init?(place: String) {
        let parts = place.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2 else { return nil }
        self.init(
            root: parts.dropLast(2).joined(separator: "/"), site: String(parts[parts.count - 2]),
            gateway: String(parts[parts.count - 1]))
    }

    /// Where this gateway publishes.
    package func topic(_ kind: Kind) -> String { "\(place)/\(kind.rawValue)" }

    /// Where this gateway's layers of configuration come from.
    package func desired(_ layer: Layer) -> String {
        switch layer {
        case .fleet: Self.desired(root: root)
        case .site: Self.desired(root: root, site: site)
        case .gateway: Self.desired(root: root, site: site, gateway: gateway)
        }
    }

    /// Where the document of a gateway's layer is; of a site's without a gateway, of the fleet's without a site.
    package static func desired(
        root: String = Topics.usualRoot, site: String? = nil, gateway: String? = nil
    ) -> String {
        ([root] + [site, gateway].compactMap(\.self) + ["config/desired"]).joined(separator: "/")
    }

    /// Which of this gateway's layers a topic is; `nil` for any other topic.
    package func layer(of topic: String) -> Layer? {
        Layer.allCases.first { desired($0) == topic }
    }

    /// The subscription to one kind of message, of all sites or gateways where `nil`.
    package static func filter(
        _ kind: Kind, root: String = Topics.usualRoot, site: String? = nil, gateway: String? = nil
    ) -> String {
        "\(root)/\(site ?? "+")/\(gateway ?? "+")/\(kind.rawValue)"
    }

    /// The gateway and the kind of a message on `topic`; `nil` for other topics.
    package static func parse(_ topic: String, root: String = Topics.usualRoot) -> (Topics, Kind)? {
        guard topic.hasPrefix(root + "/") else { return nil }
        let levels = topic.dropFirst(root.count + 1)
            .split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard levels.count == 3, let kind = Kind(rawValue: String(levels[2])),
            let topics = Topics(root: root, site: String(levels[0]), gateway: String(levels[1]))
        else { return nil }
        return (topics, kind)
    }

    /// The rule for the name of a site or a gateway, for messages. A level `.` or `..` of an address is no name (RFC 3986
    /// section 5.2.4).
    package static let nameRule = "1 to 64 of A-Z a-z 0-9 . _ - (not only dots)"

    /// Whether `text` follows `nameRule`.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.contains { $0 != UInt8(ascii: ".") }
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// `text`, if it follows `nameRule`.
    package static func name(_ text: String) -> String? { isName(text) ? text : nil }

    /// The rule for a root, for messages.
    package static let rootRule =
        "such as sightline/v1: at most 200 bytes, without +, #, empty levels, or $ at the start"

    /// Whether `text` follows `rootRule`; control characters are out as well (MQTT 5.0 section 1.5.4).
    package static func isRoot(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...200).contains(bytes.count), bytes.first != UInt8(ascii: "$") else {
            return false
        }
        let levels = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return levels.allSatisfy { !$0.isEmpty }
            && text.unicodeScalars.allSatisfy { scalar in
                scalar != "+" && scalar != "#" && scalar.properties.generalCategory != .control
            }
    }
}
