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

extension JSON {
    /// The value in the JSON Canonicalization Scheme (RFC 8785): equal values have equal bytes.
    package var canonicalBytes: [UInt8] {
        var bytes: [UInt8] = []
        appendCanonical(to: &bytes)
        return bytes
    }

    private func appendCanonical(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let number): bytes += Double(number).canonicalText.utf8
        case .number(let number): bytes += number.canonicalText.utf8
        case .string(let string): Self.append(string, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.appendCanonical(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            // Section 3.2.3: the keys in the order of their UTF-16 code units.
            let sorted = members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.append(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.appendCanonical(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Section 3.2.2.2: only quotation mark, backslash and C0 control characters have escapes.
    private static func append(_ string: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case 0x08: bytes += #"\b"#.utf8
            case 0x09: bytes += #"\t"#.utf8
            case 0x0a: bytes += #"\n"#.utf8
            case 0x0c: bytes += #"\f"#.utf8
            case 0x0d: bytes += #"\r"#.utf8
            case 0..<0x20:
                bytes += (byte < 0x10 ? #"\u000"# : #"\u00"#).utf8
                bytes += String(byte, radix: 16).utf8
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension Double {
    /// The number as ECMAScript writes it (RFC 8785 section 3.2.2.3, ECMA-262 Number::toString).
    fileprivate var canonicalText: String {
        guard self != 0, isFinite else { return isFinite ? "0" : "null" }
        let sign = self < 0 ? "-" : ""
        // Swift writes the same shortest digits, as `120.5`, `1e-07` or `1.5e+300`.
        let parts = "\(magnitude)".split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
        let all = mantissa[0] + fraction
        let significant = all.drop { $0 == "0" }
        var digits = String(significant)
        // The value is 0.DIGITS × 10^point.
        let point = mantissa[0].count + exponent - (all.count - significant.count)
        while digits.last == "0" { digits.removeLast() }
        return sign + Self.text(digits, point: point)
    }

    private static func text(_ digits: String, point: Int) -> String {
        func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
        switch point {
        case 1...21 where point >= digits.count: return digits + zeros(point - digits.count)
        case 1...21: return digits.prefix(point) + "." + digits.dropFirst(point)
        case -5...0: return "0." + zeros(-point) + digits
        default:
            let rest = digits.dropFirst()
            let exponent = point - 1
            return digits.prefix(1) + (rest.isEmpty ? "" : ".\(rest)")
                + "e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
        }
    }
}
