import Primitives

extension JSONText {
    /// Reads a string; the place between its quotes.
    mutating func string() throws(JSONFault) -> Range<Int> {
        let quote = offset
        offset += 1
        while true {
            while bytes[offset] > 0x22, bytes[offset] != "\\" { offset &+= 1 }
            switch bytes[offset] {
            case "\"":
                offset += 1
                return quote + 1..<offset - 1
            case "\\":
                let start = offset
                let scalar = try escape()
                // JSON may have it, C ends a string there: paths, names and passwords go to C.
                if scalar == "\0" { throw fault("a NUL character in a string", at: quote) }
                if scalar.value > 0xffff { pairs.append((start..<offset, scalar)) }
            case 0 where offset == end:
                throw fault("the string that begins here has no end", at: quote)
            case 0: throw JSONFault("a NUL character", at: offset)
            case 1..<0x20: throw fault("a control character in a string; write it as an escape")
            default: offset &+= 1
            }
        }
    }

    /// Reads an escape (RFC 8259 section 7).
    private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
        let start = offset
        let letter = bytes[start + 1]
        guard let scalar = Self.escapes[letter] else {
            throw fault("an escape that JSON does not have")
        }
        offset += 2
        guard letter == "u" else { return scalar }
        let unit = try codeUnit(start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // Half a character by itself: only high, then low, makes one.
        if UTF16.isLeadSurrogate(unit), bytes[offset] == "\\", bytes[offset + 1] == "u" {
            offset += 2
            let second = try codeUnit(start)
            if UTF16.isTrailSurrogate(second) {
                return UTF16.decode(UTF16.EncodedScalar([unit, second]))
            }
        }
        throw fault("an escape for half a character (a lone surrogate)", at: start)
    }

    private mutating func codeUnit(_ start: Int) throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[offset])).hexDigitValue else {
                throw fault("\\u needs four hexadecimal digits", at: start)
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }

    /// The characters of a string that the gate has passed.
    func string(at place: Range<Int>) -> String {
        guard hasEscape(place) else { return String(decoding: bytes[place], as: UTF8.self) }
        var reader = self
        reader.offset = place.lowerBound
        var characters: [UInt8] = []
        while reader.offset < place.upperBound {
            if bytes[reader.offset] == "\\", let scalar = try? reader.escape() {
                characters += Array(String(scalar).utf8)
            } else {
                characters.append(bytes[reader.offset])
                reader.offset += 1
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Reads a number, `true`, `false` or `null`.
    mutating func literal() throws(JSONFault) {
        let start = offset
        let fits = number()
        if fits == true { return }
        let isNumber = fits != nil
        offset = start
        while !ends(bytes[offset]) { offset += 1 }
        let word = String(decoding: bytes[start..<offset].prefix(40), as: UTF8.self)
        if isNumber {
            throw fault("a number that is too large to hold", at: start, code: .outOfRange)
        }
        if Self.words.contains(word) { return }
        if bytes[start] == "/" || bytes[start] == "#" {
            throw fault("comments are not allowed here", at: start)
        }
        throw fault("\(word.quotedForPeople) is no value; strings need double quotes", at: start)
    }

    /// Whether a `Double`, or 64 bits for a number without fraction and exponent, hold the number; `nil` when it is none.
    private mutating func number() -> Bool? {
        let start = offset
        if bytes[offset] == "-" { offset += 1 }
        let first = bytes[offset]
        let digits = readDigits()
        guard digits == 1 || digits > 1 && first != "0" else { return nil }
        let wholeEnd = offset
        if bytes[offset] == "." {
            offset += 1
            guard readDigits() > 0 else { return nil }
        }
        let hasExponent = bytes[offset] | 0x20 == "e"
        if hasExponent {
            offset += 1
            if bytes[offset] == "+" || bytes[offset] == "-" { offset += 1 }
            guard readDigits() > 0 else { return nil }
        }
        guard ends(bytes[offset]) else { return nil }
        if digits <= 18, !hasExponent { return true }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if offset == wholeEnd { return Int64(text) != nil || UInt64(text) != nil }
        return Double(text)?.isFinite == true
    }

    private mutating func readDigits() -> Int {
        let start = offset
        while bytes[offset] &- 0x30 < 10 { offset &+= 1 }
        return offset &- start
    }
}
