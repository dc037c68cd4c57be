import Contract
import JSON

/// The retained discovery document of a gateway, from which Home Assistant creates one device with
/// all its entities (Home Assistant's documentation, MQTT: "Device discovery payload").
package struct HomeDiscovery: Sendable {
    /// The largest document that is read.
    private static let maxBytes = 262_144

    private let topics: Topics
    private let version: String
    private let entities: [HomeEntity]
    /// Where the document is.
    package let topic: String

    package init(prefix: String, topics: Topics, version: String, trackers: [Tracker]) {
        self.topics = topics
        self.version = version
        entities = HomeEntity.all + trackers.map(HomeEntity.tracker)
        topic =
            "\(prefix)/device/\(Self.level(topics.site))/\(Self.level(topics.gateway))/config"
    }

    /// A name as a level of a discovery topic, which has no dots and slashes; no two names come to the same.
    static func level(_ name: String) -> String {
        name.replacing("_", with: "__").replacing(".", with: "_d").replacing("/", with: "_s")
    }

    /// The document's bytes.
    package var encoded: [UInt8] { document([]) }

    /// The document by which Home Assistant removes the entities that `earlier` has and this
    /// document lacks, such as former trackers. `nil` if there are none.
    package func retraction(of earlier: [UInt8]) -> [UInt8]? {
        guard let json = try? JSON(parsing: earlier, maxBytes: Self.maxBytes),
            case .object(let components)? = json["components"]
        else { return nil }
        let mine = Set(entities.map(\.key))
        // Home Assistant removes an entity that has only its platform.
        let gone = components.compactMap { component -> JSON.Member? in
            guard !mine.contains(component.key),
                case .string(let name)? = component.value["platform"],
                let platform = HomeEntity.Platform(rawValue: name)
            else { return nil }
            return .init(component.key, .object([.init("platform", .string(platform.rawValue))]))
        }
        return gone.isEmpty ? nil : document(gone)
    }

    private func document(_ gone: [JSON.Member]) -> [UInt8] {
        let json = JSON.object([
            .init(
                "device",
                .object([
                    .init("identifiers", .array([.string(topics.place)])),
                    .init("name", .string("\(topics.site) \(topics.gateway)")),
                    .init("manufacturer", .string("Sightline")),
                    .init("model", .string("Gateway")),
                    .init("sw_version", .string(version)),
                ])),
            .init(
                "origin",
                .object([
                    .init("name", .string("sightlined")), .init("sw_version", .string(version)),
                ])),
            .init("qos", .integer(1)),
            .init("components", .object(entities.map(component) + gone)),
        ])
        return json.bytes
    }

    private func component(_ entity: HomeEntity) -> JSON.Member {
        var members: [JSON.Member] = [
            .init("platform", .string(entity.platform.rawValue)),
            .init("unique_id", .string("\(topics.place)/\(entity.key)")),
            .init("name", .string(entity.name)),
            .init("state_topic", .string(topics.topic(entity.topic))),
            .init("value_template", .string(entity.template)),
        ]
        if entity.key != HomeEntity.connection.key {
            members += [
                .init("availability_topic", .string(topics.topic(.status))),
                .init(
                    "availability_template",
                    .string("{{ 'offline' if value_json.state == 'offline' else 'online' }}")),
            ]
        }
        return .init(entity.key, .object(members + entity.options))
    }
}
