/// The header fields of a message, in their order (RFC 9110, section 5).
package struct Headers: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// A field with its name in lower case.
    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: String
    }

    package private(set) var fields: [Field] = []

    package init() {}

    package init(dictionaryLiteral fields: (String, String)...) {
        for (name, value) in fields { add(name, value) }
    }

    /// The value of the first field with this name; the case of letters does not matter.
    package subscript(name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name == name }?.value
    }

    /// The values of all fields with this name.
    package func all(_ name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name == name }.map(\.value)
    }

    package mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name.lowercased(), value: value))
    }

    /// Adds the fields of `others` whose names are not present.
    package mutating func addMissing(_ others: Headers) {
        for field in others.fields where self[field.name] == nil { fields.append(field) }
    }

    /// Whether each name is a token (RFC 9110, section 5.6.2).
    package var areNamed: Bool {
        fields.allSatisfy { field in
            !field.name.isEmpty && field.name.utf8.allSatisfy(Self.tokenBytes.contains)
        }
    }

    /// Of names in lower case.
    private static let tokenBytes = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    /// The bytes of all names and values.
    package var size: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }
}
