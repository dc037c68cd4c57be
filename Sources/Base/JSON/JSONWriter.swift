/// Appends JSON text (RFC 8259) on one line, without blanks.
///
/// It also writes unsigned integers of 64 bits exactly, which a `JSON` value cannot hold.
package struct JSONWriter: Sendable {
    /// The text in UTF-8.
    package private(set) var bytes: [UInt8] = []
    /// Whether the present array or object has an element.
    private var hasElement = false

    package init() {}

    /// Writes an object; `write` adds its members.
    package mutating func object(_ write: (inout JSONWriter) -> Void) {
        nest("{", "}") { write(&$0) }
    }

    /// Adds a member whose value is an object.
    package mutating func member(_ key: String, _ write: (inout JSONWriter) -> Void) {
        put(key: key)
        object(write)
    }

    /// Adds a member, unless its value is `nil`.
    package mutating func member(_ key: String, _ value: JSON?) {
        guard let value else { return }
        put(key: key)
        put(value)
    }

    /// Adds an integer as member, unless it is `nil`.
    package mutating func member(_ key: String, _ number: (some FixedWidthInteger)?) {
        guard let number else { return }
        put(key: key)
        put(ascii: String(number))
    }

    package mutating func put(_ value: JSON) {
        switch value {
        case .null: put(ascii: "null")
        case .bool(let value): put(ascii: value ? "true" : "false")
        case .integer(let number): put(ascii: String(number))
        case .number(let number): put(ascii: number.isFinite ? "\(number)" : "null")
        case .string(let string): put(string)
        case .array(let elements):
            nest("[", "]") { writer in
                for element in elements {
                    writer.separate()
                    writer.put(element)
                }
            }
        case .object(let members):
            object { writer in
                for member in members { writer.member(member.key, member.value) }
            }
        }
    }

    private mutating func put(ascii text: String) { bytes += text.utf8 }

    /// Writes a string with its quotes. Control characters have escapes, U+007F to U+009F as well.
    private mutating func put(_ string: String) {
        put(ascii: "\"")
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                put(ascii: "\\\(scalar)")
            case "\u{0}"..<" ", "\u{7f}"..."\u{9f}":
                let digits = String(scalar.value, radix: 16)
                put(ascii: "\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        put(ascii: "\"")
    }

    private mutating func put(key: String) {
        separate()
        put(key)
        put(ascii: ":")
    }

    private mutating func separate() {
        if hasElement { put(ascii: ",") }
        hasElement = true
    }

    private mutating func nest(
        _ open: String, _ close: String, _ write: (inout JSONWriter) -> Void
    ) {
        put(ascii: open)
        hasElement = false
        write(&self)
        put(ascii: close)
        // The array or object is itself an element of the one around it.
        hasElement = true
    }
}

extension JSON {
    /// The value on one line, without blanks, in UTF-8.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.put(self)
        return writer.bytes
    }

    /// The same as a string.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
