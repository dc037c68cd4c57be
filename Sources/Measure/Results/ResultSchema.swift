import JSON

/// The JSON Schema of a kind: a file of `config/contract/schemas`, and a component of the API's description.
extension ResultKind {
    package var schema: JSON {
        let head: [JSON.Member] = [
            .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
            .init("title", .string(title)), .init("description", .string(help)),
        ]
        return .object(head + ResultType.object(parts).schema())
    }

    /// The schema of a member of the document.
    package subscript(name: String) -> JSON? { parts.first { $0.name == name }?.schema }
}

extension ResultPart {
    package var schema: JSON {
        let description = help.map { [JSON.Member("description", .string($0))] } ?? []
        return .object(description + (published ?? type).schema(isNullable: isNullable))
    }
}

extension ResultType {
    /// The members of the schema.
    package func schema(isNullable: Bool = false) -> [JSON.Member] {
        let type = { (name: JSON) in JSON.Member("type", isNullable ? [name, "null"] : name) }
        switch self {
        case .constant(let value): return [.init("const", value)]
        case .number(let isWhole, let minimum, let maximum):
            let limits = [("minimum", minimum), ("maximum", maximum)].compactMap { key, limit in
                limit.map { JSON.Member(key, .integer($0)) }
            }
            return [type(isWhole ? "integer" : "number")] + limits
        case .flag: return [type("boolean")]
        case .text: return [type("string")]
        case .words(let words):
            return [.init("enum", .array(words.map { .string($0) } + (isNullable ? [.null] : [])))]
        case .list(let element):
            return [.init("type", "array"), .init("items", .object(element.schema()))]
        case .object(let members):
            let parts = Self.listed(members)
            let required = parts.filter { !$0.isOptional }.map { JSON.string($0.name) }
            return [
                type("object"), .init("required", .array(required)),
                .init("properties", .object(parts.map { .init($0.name, $0.schema) })),
            ]
        case .reference(let place): return [.init("$ref", .string(place))]
        case .schema(let members): return members
        }
    }

    /// The members in the order of the schema.
    private static func listed(_ parts: [ResultPart]) -> [ResultPart] {
        parts.reduce(into: parts.filter { $0.position == nil }) { listed, part in
            if let position = part.position { listed.insert(part, at: min(position, listed.count)) }
        }
    }

    /// A list with a fixed number of elements.
    package static func tuple(_ count: Int64, of element: [JSON.Member] = []) -> ResultType {
        let items = element.isEmpty ? [] : [JSON.Member("items", .object(element))]
        return .schema(
            [.init("type", "array")] + items
                + [.init("minItems", .integer(count)), .init("maxItems", .integer(count))])
    }
}
