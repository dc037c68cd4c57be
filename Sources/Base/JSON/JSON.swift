/// A JSON value (RFC 8259).
package indirect enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number written without fraction and exponent, of 64 bits at most.
    case integer(Int64)
    /// Any other number; never infinite or NaN. A whole number from 2⁶³ to 2⁶⁴ − 1 is one of these.
    case number(Double)
    case string(String)
    case array([JSON])
    /// The members in their order; keys are unique.
    case object([Member])

    /// A key of an object and its value.
    package struct Member: Equatable, Sendable {
        package let key: String
        package let value: JSON

        package init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// The value of an object's member; `nil` when there is none or this is no object.
    package subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.hasSameBytes(as: key) }?.value
    }

    /// The kind of value, with its article: `a string`, `null`, ….
    package var kind: String {
        let kind: JSONKind =
            switch self {
            case .null: .null
            case .bool: .bool
            case .integer: .integer
            case .number: .number
            case .string: .string
            case .array: .array
            case .object: .object
            }
        return kind.description
    }
}

/// The kind of a value; described with its article: `a string`, `null`, ….
@usableFromInline
enum JSONKind: CustomStringConvertible {
    case null, bool, integer, number, string, array, object

    @usableFromInline var description: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// An object whose members keep the order in which they are written.
    package init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(members.map { Member($0, $1) })
    }
}

extension String {
    /// Whether both have the same Unicode scalars. `==` also holds for canonical equivalents, such
    /// as `K` and the kelvin sign.
    package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
