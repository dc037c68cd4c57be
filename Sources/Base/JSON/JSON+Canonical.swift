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
