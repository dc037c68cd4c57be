import Contract
import JSON

/// The JSON Schema of the topic `health`, from the declarations of its members.
enum HealthSchema {
    static var schema: JSON {
        var names: [JSON] = ["v", "session"]
        var properties: [JSON.Member] = [
            .init("v", ["const": 1]), .init("session", reference("session")),
        ]
        var definitions: [JSON.Member] = []
        for member in Health.general {
            names.append(.string(member.name))
            properties.append(.init(member.name, schema(of: member)))
        }
        for section in Health.sections {
            names.append(.string(section.name))
            let place = JSON.string("#/$defs/\(section.name)")
            properties.append(.init(section.name, ["$ref": place]))
            definitions.append(.init(section.name, object(section.help, section.members)))
        }
        let description: JSON =
            "Counters of an agent since its start. Open: subscribers must ignore unknown members. published/health.json is closed: the members that this version of the agent writes."
        return .object([
            .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
            .init("title", "Health"), .init("description", description),
            .init("type", "object"), .init("required", .array(names)),
            .init("properties", .object(properties)), .init("$defs", .object(definitions)),
        ])
    }

    private static func object(_ help: String, _ members: [HealthMember]) -> JSON {
        let required: [JSON] = members.filter { !$0.isOptional }.map { .string($0.name) }
        let properties: [JSON.Member] = members.map { .init($0.name, schema(of: $0)) }
        return .object([
            .init("description", .string(help)), .init("type", "object"),
            .init("required", .array(required)), .init("properties", .object(properties)),
        ])
    }

    private static func schema(of member: HealthMember) -> JSON {
        let type: [JSON.Member] =
            switch member.kind {
            case .counter, .gauge, .bytes, .seconds: reference("count").members
            case .milliseconds: reference("duration").members
            case .time: reference("time").members
            case .secondsTotal: [.init("type", "number"), .init("minimum", 0)]
            case .flag: [.init("type", "boolean")]
            case .word(let definition, _): reference(definition).members
            case .text: [.init("type", "string")]
            }
        // Draft 07 passes over what stands beside a `$ref`.
        guard type.first?.key != "$ref" else { return .object(type) }
        return .object([.init("description", .string(member.help))] + type)
    }

    private static func reference(_ name: String) -> JSON {
        ["$ref": .string("common.json#/$defs/\(name)")]
    }
}

extension JSON {
    fileprivate var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }
}
