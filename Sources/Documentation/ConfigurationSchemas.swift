import Configuration
import Contract
import JSON
import Queueing
import ServerConfiguration
import Terminal

/// The JSON Schemas of `config/contract/schemas` that follow from declarations.
package enum ConfigurationSchemas {
    private static let draft: JSON.Member = .init(
        "$schema", "https://json-schema.org/draft/2020-12/schema")

    /// The files' texts by their names.
    package static var files: [(name: String, text: String)] {
        [
            ("configuration", text(of: local)), ("config-desired", text(of: desired)),
            ("effective", text(of: effective)), ("queues", text(of: queues)),
            ("server", text(of: server)), ("profile", text(of: profile)),
            ("health", text(of: HealthSchema.schema)),
        ]
    }

    private static func text(of schema: JSON) -> String {
        schema.lines().joined(separator: "\n") + "\n"
    }

    private static var local: JSON {
        schema(
            "Local configuration",
            "The file of one gateway, with its comments blanked. Agents refuse unknown keys, and so does this "
                + "schema. Rules beyond it are in Tests/Contract/configurations/beyond. Lengths are bytes "
                + "to an agent, and characters here. Only --output - allows a file without mqtt.",
            // Without `--output -`, a broker is required.
            LocalConfiguration.keys.schema().requiring(["gateway", "mqtt"]))
    }

    private static var desired: JSON {
        let patch = GatewaySettings.keys.patchSchema()
        let version: JSON = ["$ref": "common.json#/$defs/version"]
        return schema(
            "Desired configuration",
            "The settings of a fleet, a site or a gateway: a layer, merged over the wider ones (RFC 7396: null "
                + "removes a wider layer's value). Retained. Agents refuse unknown members, and so does this schema. "
                + "Rules beyond it: at most 65,536 bytes; no key twice; the merged layers must be valid.",
            patch.requiring(["version"]).withProperty("version", version))
    }

    /// Members that agents of every version report; subscribers may rely on them.
    private static let alwaysReported = [
        "": ["advertise", "report", "filter"], "advertise": ["enabled"],
        "report": ["windowMs", "maxSilenceMs", "maxSightingsPerMessage"], "filter": ["uuids"],
    ]

    private static var effective: JSON {
        schema(
            "Settings in force",
            "The member effective of the reported configuration. Without a layer that has the section, advertise "
                + "has only enabled, and its value is false.",
            GatewaySettings.keys.reportSchema(required: alwaysReported).asWritten)
    }

    private static var queues: JSON {
        schema(
            "Queues",
            "The configuration of sightline queue, with its comments blanked. Unknown keys are faults, and so in this "
                + "schema. Rules beyond it: names of sites and of a site's queues occur once, entry and till have a "
                + "gateway, and a gateway has one role in a queue.",
            QueueConfiguration.keys.schema())
    }

    private static var server: JSON {
        schema(
            "Configuration of a server",
            "The file of sightline-server, with its comments blanked. Unknown keys are faults, and so in this schema. "
                + "Rules beyond it are those of queues.json, and tokens is required where http.listen is no local "
                + "address.",
            ServerConfiguration.keys.schema().requiring(["mqtt", "sites"]))
    }

    private static var profile: JSON {
        schema(
            "Profile",
            "A connection of the command sightline, with its comments blanked. Unknown keys are faults, and so in this "
                + "schema. Rule beyond it: certificates need a broker that begins with mqtts://.",
            Profile.keys.schema().requiring(["broker"]))
    }

    private static func schema(_ title: String, _ description: String, _ rest: JSON) -> JSON {
        guard case .object(let members) = rest else { return rest }
        return .object(
            [draft, .init("title", .string(title)), .init("description", .string(description))]
                + members)
    }
}

extension JSON {
    /// The same schema of an object in which these properties are required.
    fileprivate func requiring(_ names: [String]) -> JSON {
        guard case .object(let members) = self else { return self }
        let others = members.filter { $0.key != "type" && $0.key != "required" }
        let head: [Member] = [
            .init("type", "object"), .init("required", .array(names.map { .string($0) })),
        ]
        return .object(head + others)
    }

    /// The same schema of an object with one property more, before the others.
    fileprivate func withProperty(_ name: String, _ schema: JSON) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { member in
                guard member.key == "properties", case .object(let own) = member.value else {
                    return member
                }
                return .init("properties", .object([.init(name, schema)] + own))
            })
    }

    /// The same schema for values as agents write them: UUIDs have one form.
    fileprivate var asWritten: JSON {
        switch self {
        case "common.json#/$defs/anyUUID": "common.json#/$defs/uuid"
        case .array(let elements): .array(elements.map(\.asWritten))
        case .object(let members):
            .object(members.map { .init($0.key, $0.value.asWritten) })
        default: self
        }
    }
}
