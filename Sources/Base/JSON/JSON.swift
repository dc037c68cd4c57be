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

extension JSON {
    /// The default limit of nesting.
    package static let usualDepth = 16

    /// Reads one JSON text (RFC 8259), strictly: any bytes give a value or an error.
    ///
    /// No more than `maxBytes` are read at all, and no more than `depth` arrays and objects in each other. Comments,
    /// `//` and `/* */`, may stand between values where they are allowed.
    package init(
        parsing bytes: [UInt8], maxBytes: Int, depth: Int = JSON.usualDepth,
        allowingComments: Bool = false
    ) throws(JSONSyntaxError) {
        self = try JSONTokener(
            parsing: bytes, maxBytes: maxBytes, depth: depth, allowingComments: allowingComments
        ).root.tree
    }
}

extension JSONTokener {
    convenience init(
        parsing bytes: [UInt8], maxBytes: Int, depth: Int, allowingComments: Bool
    ) throws(JSONSyntaxError) {
        do throws(JSONFault) {
            let text = try JSONText(
                bytes, maxBytes: maxBytes, depth: depth, allowsComments: allowingComments)
            try self.init(text.passed, depth: text.depth)
        } catch {
            throw JSONSyntaxError(error, in: bytes)
        }
    }

    /// A tree, as the text that it has.
    convenience init(_ json: JSON) throws(JSONFault) {
        let text = try JSONText(json.bytes, maxBytes: .max, depth: .max, allowsComments: false)
        try self.init(text.passed, depth: text.depth)
    }
}

extension JSON {
    /// This value after a merge patch (RFC 7396 section 2). Objects merge key by key, and `null`
    /// removes a key. Any other value replaces the present one.
    package func merging(_ patch: JSON) -> JSON {
        guard case .object(let changes) = patch else { return patch }
        var members: [Member] = []
        if case .object(let own) = self { members = own }
        for change in changes {
            let place = members.firstIndex { $0.key.hasSameBytes(as: change.key) }
            switch (place, change.value) {
            case (let place?, .null): members.remove(at: place)
            case (nil, .null): break
            case (let place?, let value):
                members[place] = Member(change.key, members[place].value.merging(value))
            case (nil, let value):
                // The patch applies to an absent value, so its removals have no effect.
                members.append(Member(change.key, JSON.null.merging(value)))
            }
        }
        return .object(members)
    }
}
