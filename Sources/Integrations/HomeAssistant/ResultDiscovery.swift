import JSON
import Results

/// The retained discovery document of an item with a present state, such as a queue, from which Home Assistant creates one device.
/// Its entities are the members that declare one.
///
/// A value that the server does not know is `None`, which Home Assistant shows as unknown, and never 0.
package struct ResultDiscovery: Sendable {
    private let kind: ResultKind
    private let name: String
    /// The topic of the state.
    private let place: String
    private let status: String
    private let version: String
    /// Where the document is. No gateway has a site named `_queues`: its underscore would be two.
    package let topic: String

    /// `nil` for a kind without entities.
    package init?(
        _ kind: ResultKind, prefix: String, topics: ResultTopics, site: String, item: String,
        server: String, version: String
    ) {
        guard let items = kind.topic, !kind.entities.isEmpty else { return nil }
        self.kind = kind
        self.version = version
        name = "\(site) \(item)"
        place = topics.topic(items, site: site, item: item)
        status = topics.status(of: server)
        let levels = "\(HomeDiscovery.level(site))_-\(HomeDiscovery.level(item))"
        topic = "\(prefix)/device/_\(items.items)/\(levels)/config"
    }

    /// The document's bytes.
    package var encoded: [UInt8] {
        let device: JSON = [
            "identifiers": [.string(place)], "name": .string(name), "manufacturer": "Sightline",
            "model": .string(kind.name.prefix(1).uppercased() + kind.name.dropFirst()),
            "sw_version": .string(version),
        ]
        return JSON.object([
            .init("device", device),
            .init("origin", ["name": "sightline-server", "sw_version": .string(version)]),
            .init("qos", 1),
            .init("availability_topic", .string(status)),
            .init(
                "availability_template",
                "{{ 'offline' if value_json.state == 'offline' else 'online' }}"),
            .init("components", .object(kind.entities.map(component))),
        ]).bytes
    }

    private func component(_ field: ResultField, _ entity: ResultPart.Entity) -> JSON.Member {
        let members: [JSON.Member] = [
            .init("platform", .string(entity.form.platform)),
            .init("unique_id", .string("\(place)/\(entity.key)")),
            .init("name", .string(entity.name)), .init("state_topic", .string(place)),
            .init("value_template", .string("{{ \(field.expression(entity.form)) }}")),
        ]
        return .init(entity.key, .object(members + field.options(entity.form)))
    }
}

extension ResultKind {
    /// In the order of faults last.
    fileprivate var entities: [(field: ResultField, entity: ResultPart.Entity)] {
        let entities = parts.fields.flatMap { field in field.part.entities.map { (field, $0) } }
        return entities.filter { !$0.1.form.isFault } + entities.filter { $0.1.form.isFault }
    }
}

extension ResultPart.Entity.Form {
    fileprivate var isFault: Bool { if case .fault = self { true } else { false } }

    fileprivate var platform: String {
        switch self {
        case .number: "sensor"
        case .fault, .occupancy: "binary_sensor"
        case .presence: "device_tracker"
        }
    }
}

extension ResultField {
    /// The Jinja expression of the state, over the message `value_json`.
    fileprivate func expression(_ form: ResultPart.Entity.Form) -> String {
        let places = path.indices.map { "value_json." + path[...$0].joined(separator: ".") }
        let place = places.last ?? "value_json"
        let conditions = places.dropLast() + (part.isNullable ? ["\(place) is not none"] : [])
        let known = { (value: String) in
            conditions.isEmpty
                ? value : "\(value) if \(conditions.joined(separator: " and ")) else none"
        }
        switch form {
        case .number:
            return known((part.unit == .milliseconds ? "(\(place) / 1000)" : place) + " | round")
        case .fault(let normal): return "'OFF' if \(place) == '\(normal)' else 'ON'"
        case .occupancy(let vacant):
            let whole = (["value_json"] + path.dropLast()).joined(separator: ".")
            let nobody = vacant.map { member, value in
                let literal = if case .string(let word) = value { "'\(word)'" } else { value.text }
                return "\(whole).\(member) == \(literal)"
            }.joined(separator: " and ")
            return known("('ON' if \(place) > 0 else 'OFF' if \(nobody) else none)")
        case .presence(let home, let away):
            return "'home' if \(place) in \(Self.list(home)) else 'not_home' if \(place) in "
                + "\(Self.list(away)) else 'unknown'"
        }
    }

    private static func list(_ words: [String]) -> String {
        "[\(words.map { "'\($0)'" }.joined(separator: ", "))]"
    }

    fileprivate func options(_ form: ResultPart.Entity.Form) -> [JSON.Member] {
        switch form {
        case .number:
            let unit: [JSON.Member] =
                part.unit == .milliseconds
                ? [.init("device_class", "duration"), .init("unit_of_measurement", "s")] : []
            return unit + [.init("state_class", "measurement")]
        case .fault:
            return [.init("device_class", "problem"), .init("entity_category", "diagnostic")]
        case .occupancy: return [.init("device_class", "occupancy")]
        case .presence:
            return [
                .init("source_type", "bluetooth_le"), .init("payload_home", "home"),
                .init("payload_not_home", "not_home"), .init("payload_reset", "unknown"),
            ]
        }
    }
}
