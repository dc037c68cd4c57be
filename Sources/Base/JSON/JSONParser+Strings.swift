extension JSONParser {
    /// Reads the string that begins here.
    mutating func string() throws(JSONFlaw) -> JSONNode.Characters {
        let quote = offset
        var characters = JSONNode.Characters()
        var hasNUL = false
        offset += 1
        characters.start = Int32(truncatingIfNeeded: offset)
        while offset < text.count {
            let byte = text[offset]
            switch byte {
            case UInt8(ascii: "\""):
                characters.end = Int32(truncatingIfNeeded: offset)
                offset += 1
                // JSON may have it, C ends a string there: paths, names and passwords go to C.
                if hasNUL { throw flaw("a NUL character in a string", at: quote) }
                return characters
            case UInt8(ascii: "\\"):
                characters.hasEscapes = true
                let start = offset
                let scalar: Unicode.Scalar
                do throws(JSONEscape.Flaw) {
                    scalar = try JSONEscape.scalar(in: text, at: &offset)
                } catch {
                    throw flaw(error.rawValue, at: start)
                }
                hasNUL = hasNUL || scalar == "\0"
            case 0..<0x20:
                throw flaw("a control character in a string; write it as an escape", at: offset)
            default: offset &+= 1
            }
        }
        throw flaw("the string that begins here has no end", at: quote)
    }
}

/// Escapes in strings (RFC 8259 section 7).
enum JSONEscape {
    enum Flaw: String, Error {
        case unknown = "an escape that JSON does not have"
        case digits = "\\u needs four hexadecimal digits"
        case surrogate = "an escape for half a character (a lone surrogate)"
    }

    /// Reads the escape that begins at `offset` with a backslash.
    static func scalar(in text: [UInt8], at offset: inout Int) throws(Flaw) -> Unicode.Scalar {
        let letter = offset + 1 < text.count ? text[offset + 1] : 0
        offset += 2
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return .init(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicode(in: text, at: &offset)
        default: throw .unknown
        }
    }

    private static func unicode(
        in text: [UInt8], at offset: inout Int
    ) throws(Flaw) -> Unicode.Scalar {
        let first = try codeUnit(in: text, at: &offset)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Half a character by itself: only high, then low, makes one.
        if UTF16.isLeadSurrogate(first), offset + 1 < text.count,
            text[offset] == UInt8(ascii: "\\"), text[offset + 1] == UInt8(ascii: "u")
        {
            offset += 2
            let second = try codeUnit(in: text, at: &offset)
            if UTF16.isTrailSurrogate(second) {
                return UTF16.decode(UTF16.EncodedScalar([first, second]))
            }
        }
        throw .surrogate
    }

    private static func codeUnit(in text: [UInt8], at offset: inout Int) throws(Flaw) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let character = offset < text.count ? text[offset] : 0
            guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else {
                throw .digits
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }
}

extension [UInt8] {
    /// A string of a valid text.
    func string(_ characters: JSONNode.Characters) -> String {
        characters.hasEscapes
            ? String(decoding: resolved(characters), as: UTF8.self)
            : String(decoding: self[characters.range], as: UTF8.self)
    }

    /// The bytes of a string of a valid text, its escapes resolved.
    func resolved(_ characters: JSONNode.Characters) -> [UInt8] {
        guard characters.hasEscapes else { return Array(self[characters.range]) }
        var bytes: [UInt8] = []
        var offset = Int(characters.start)
        while offset < characters.end {
            if self[offset] == UInt8(ascii: "\\"),
                let scalar = try? JSONEscape.scalar(in: self, at: &offset)
            {
                bytes += Swift.Array(String(scalar).utf8)
            } else {
                bytes.append(self[offset])
                offset += 1
            }
        }
        return bytes
    }
}
