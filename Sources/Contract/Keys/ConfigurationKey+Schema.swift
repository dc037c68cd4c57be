import JSON

extension Array {
    /// The JSON Schema of an object with these keys, as the local file has it.
    package func schema<Root>() -> JSON where Element == ConfigurationKey<Root> {
        .object(map { .init($0.name, $0.ownSchema) }).asProperties(
            required: filter(\.isRequired).map(\.name), isClosed: true)
    }

    /// The same for a merge patch (RFC 7396): any key may be absent, and `null` removes it.
    package func patchSchema<Root>() -> JSON where Element == ConfigurationKey<Root> {
        .object(map { .init($0.name, $0.patchSchema) }).asProperties(required: [], isClosed: true)
    }

    /// The same for a report of the values in force; other members may join them.
    ///
    /// - Parameter required: the members that every report has, by the names of their sections.
    package func reportSchema<Root>(
        required: [String: [String]], in section: String = ""
    ) -> JSON where Element == ConfigurationKey<Root> {
        let properties = JSON.object(
            map { key in
                .init(
                    key.name,
                    key.members?.reportSchema(required: required, in: key.name) ?? key.described)
            })
        return properties.asProperties(required: required[section] ?? [], isClosed: false)
    }
}

extension ConfigurationKey {
    fileprivate var ownSchema: JSON {
        guard let members else { return described }
        return described(members.schema(), schema)
    }

    fileprivate var patchSchema: JSON {
        guard let members else { return described.orNull }
        return described(members.patchSchema()).orNull
    }

    /// A value's schema with its help; draft 07 passes over what stands beside a `$ref`.
    fileprivate var described: JSON {
        schema["$ref"] == nil ? described(schema) : schema
    }

    private func described(_ parts: JSON...) -> JSON {
        .object([.init("description", .string(help))] + parts.flatMap(\.members))
    }
}

extension JSON {
    fileprivate var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The schema of an object whose properties these are.
    fileprivate func asProperties(required: [String], isClosed: Bool) -> JSON {
        var schema: [Member] = [.init("type", "object")]
        if !required.isEmpty {
            schema.append(.init("required", .array(required.map { .string($0) })))
        }
        schema.append(.init("properties", self))
        if isClosed { schema.append(.init("additionalProperties", false)) }
        return .object(schema)
    }

    /// A schema that takes `null` as well.
    fileprivate var orNull: JSON {
        .object(
            members.map { member in
                switch (member.key, member.value) {
                case ("type", .string): .init("type", [member.value, "null"])
                case ("enum", .array(let words)): .init("enum", .array(words + [.null]))
                case ("$ref", _): .init("anyOf", [self, ["type": "null"]])
                default: member
                }
            })
    }
}
