extension JSONScanner {
    /// Reads the string that begins at `offset`, its escapes resolved.
    mutating func decodeString() throws(JSONFlaw) -> [UInt8] {
        let start = offset
        var value: [UInt8] = []
        offset += 1
        while offset < text.count {
            let byte = text[offset]
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return value
            case UInt8(ascii: "\\"):
                value.append(contentsOf: Array(String(try escape()).utf8))
            case 0..<0x20:
                throw error("a control character in a string; write it as an escape", at: offset)
            default:
                value.append(byte)
                offset += 1
            }
        }
        throw error("the string that begins here has no end", at: start)
    }

    private mutating func escape() throws(JSONFlaw) -> Unicode.Scalar {
        let start = offset
        let letter = offset + 1 < text.count ? text[offset + 1] : 0
        offset += 2
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return .init(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(from: start)
        default: throw error("an escape that JSON does not have", at: start)
        }
    }

    private mutating func unicodeEscape(from start: Int) throws(JSONFlaw) -> Unicode.Scalar {
        let first = try codeUnit(from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Half a character by itself: only high, then low, makes one (RFC 8259 section 7).
        if UTF16.isLeadSurrogate(first), offset + 1 < text.count,
            text[offset] == UInt8(ascii: "\\"), text[offset + 1] == UInt8(ascii: "u")
        {
            offset += 2
            let second = try codeUnit(from: start)
            if UTF16.isTrailSurrogate(second) {
                return UTF16.decode(UTF16.EncodedScalar([first, second]))
            }
        }
        throw error("an escape for half a character (a lone surrogate)", at: start)
    }

    private mutating func codeUnit(from start: Int) throws(JSONFlaw) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let character = offset < text.count ? text[offset] : 0
            guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else {
                throw error("\\u needs four hexadecimal digits", at: start)
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }
}
