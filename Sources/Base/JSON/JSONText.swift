import Primitives

/// The gate before json-c: one pass over a text from outside that finds what is no JSON (RFC 8259), and its place. It also
/// stops what json-c's versions read in different ways, or wrongly: wide numbers, duplicate keys, NUL, invalid UTF-8.
struct JSONText {
    /// The text and a NUL behind it. Comments become blanks; escapes above U+FFFF become characters and fillers.
    private var bytes: [UInt8]
    private let end: Int
    let depth: Int
    private let allowsComments: Bool
    private var offset = 0
    private var objects = 0
    private var hasFillers = false
    /// The keys of all objects being read, without their quotes.
    private var keys: [Range<Int>] = []

    /// A control character, which no valid text has.
    private static let filler: UInt8 = 1

    init(_ text: [UInt8], maxBytes: Int, depth: Int, allowsComments: Bool) throws(JSONFault) {
        guard text.count <= min(maxBytes, Int(Int32.max) - 1) else {
            let sentence = "\(text.count) bytes are more than the \(maxBytes) that are read"
            throw JSONFault(sentence, at: 0, code: .tooLarge)
        }
        // U+FEFF, which some editors put before a text and RFC 8259 section 8.1 forbids.
        if text.starts(with: [0xef, 0xbb, 0xbf]) {
            throw JSONFault("begins with a byte order mark; save it as UTF-8 without one", at: 0)
        }
        if String(validating: text, as: UTF8.self) == nil {
            throw JSONFault("this is not UTF-8", at: text.endOfUTF8)
        }
        bytes = text + [0]
        end = text.count
        // Values are read, compared and freed by recursion.
        self.depth = min(depth, 512)
        self.allowsComments = allowsComments
        if try next() == 0 { throw fault("there is nothing here; a JSON value was expected") }
        try value(level: 0)
        guard try next() != 0 else { return }
        if bytes[offset] == "/" || bytes[offset] == "#" { try literal() }
        let line = bytes[offset..<end].prefix { $0 != "\n" && $0 != "\r" }
        // The excerpt shows fewer characters than 200 bytes hold (at most four bytes each), so a cut one stays hidden.
        let excerpt = String(decoding: line.prefix(200), as: UTF8.self).quotedForPeople
        throw JSONFault("text behind the end of the document: \(excerpt)", at: offset)
    }

    /// The text for json-c.
    var passed: [UInt8] { hasFillers ? bytes.filter { $0 != Self.filler } : bytes }

    /// The next byte after blanks, without reading it; 0 at the end.
    private mutating func next() throws(JSONFault) -> UInt8 {
        while true {
            switch bytes[offset] {
            case " ", "\t", "\n", "\r": offset &+= 1
            case 0 where offset < end: throw JSONFault("a NUL character", at: offset)
            case "/" where allowsComments: try blankComment()
            case "#" where allowsComments:
                throw JSONFault("comments begin with “//” or “/*”, not with “#”", at: offset)
            case let byte: return byte
            }
        }
    }

    /// Replaces a comment with blanks, so that every offset stays valid.
    private mutating func blankComment() throws(JSONFault) {
        let start = offset
        let isLine = bytes[start + 1] == "/"
        guard isLine || bytes[start + 1] == "*" else {
            throw JSONFault("a lone “/”; a comment begins with “//” or “/*”", at: start)
        }
        offset += 2
        while offset < end,
            isLine ? bytes[offset] != "\n" : !bytes[offset...].starts(with: [0x2a, 0x2f])
        {
            offset += 1
        }
        guard isLine || offset < end else {
            throw JSONFault("the comment that begins here has no end", at: start)
        }
        offset += isLine ? 0 : 2
        for index in start..<offset {
            if bytes[index] == 0 { throw JSONFault("a NUL character", at: index) }
            bytes[index] = 0x20
        }
    }

    private mutating func value(level: Int) throws(JSONFault) {
        let opening = try next()
        guard opening == "{" || opening == "[" else {
            return opening == "\"" ? _ = try string() : try literal()
        }
        let isObject = opening == "{"
        guard level < depth else { throw fault("nested deeper than \(depth) levels") }
        // json-c needs hundreds of bytes for an object, however short.
        objects += isObject ? 1 : 0
        guard objects <= 1000 + end / 24 else {
            throw fault("more objects than \(end) bytes may have", code: .tooLarge)
        }
        offset += 1
        let closing = opening + 2
        let firstKey = keys.count
        var manyKeys: Set<[UInt8]> = []
        var index = 0
        while try next() != closing {
            if index > 0 {
                let comma = offset
                try expect(",", "“,” or “\(Unicode.Scalar(closing))” was expected")
                if try next() == closing {
                    throw fault("a comma with nothing behind it", at: comma)
                }
            }
            if isObject { try key(firstKey, &manyKeys) }
            do throws(JSONFault) {
                try value(level: level + 1)
            } catch {
                throw error.inside(
                    isObject ? .key(string(at: keys[firstKey + index])) : .index(index))
            }
            index += 1
        }
        offset += 1
        keys.removeSubrange(firstKey...)
    }

    /// Reads a key and the colon. Many keys of an object, or one with an escape, are in a set, which has a random seed.
    private mutating func key(_ first: Int, _ many: inout Set<[UInt8]>) throws(JSONFault) {
        guard try next() == "\"" else {
            return try expect("\"", "a key in double quotes was expected")
        }
        let key = try string()
        var isNew = true
        if many.isEmpty, keys.count - first < 16, isPlain(key) {
            for other in keys[first...] where other.count == key.count {
                if bytes[other].elementsEqual(bytes[key]) { isNew = false }
            }
        } else {
            if many.isEmpty { many = Set(keys[first...].map { Array(string(at: $0).utf8) }) }
            isNew = many.insert(Array(string(at: key).utf8)).inserted
        }
        try expect(":", "“:” was expected")
        keys.append(key)
        if !isNew {
            throw fault("duplicate key", at: key.lowerBound - 1).inside(.key(string(at: key)))
        }
    }

    /// Reads a byte of the grammar. When the next bytes are no part of JSON at all, the fault says so.
    private mutating func expect(
        _ byte: Unicode.Scalar, _ sentence: @autoclosure () -> String
    ) throws(JSONFault) {
        guard try next() != byte else { return offset += 1 }
        let start = offset
        if !ends(bytes[offset]) || offset == end { try literal() }
        throw JSONFault(sentence(), at: start)
    }

    /// Reads a string; the place between its quotes.
    private mutating func string() throws(JSONFault) -> Range<Int> {
        let quote = offset
        offset += 1
        while bytes[offset] != "\"" {
            switch bytes[offset] {
            case "\\": try escape(quote)
            case 0 where offset == end:
                throw fault("the string that begins here has no end", at: quote)
            case 0: throw JSONFault("a NUL character", at: offset)
            case 1..<0x20: throw fault("a control character in a string; write it as an escape")
            default:
                repeat { offset &+= 1 } while bytes[offset] > 0x22 && bytes[offset] != "\\"
            }
        }
        offset += 1
        return quote + 1..<offset - 1
    }

    /// Reads an escape (RFC 8259 section 7). json-c 0.16 takes some pairs for half a character.
    private mutating func escape(_ quote: Int) throws(JSONFault) {
        let start = offset
        guard #""\/bfnrtu"#.utf8.contains(bytes[start + 1]) else {
            throw fault("an escape that JSON does not have")
        }
        offset += 2
        guard bytes[start + 1] == "u" else { return }
        var units: [UInt16] = []
        repeat {
            offset = start + 6 * units.count + 2
            let digits = String(decoding: bytes[offset..<min(offset + 4, end)], as: UTF8.self)
            guard digits.count == 4, digits.allSatisfy(\.isHexDigit),
                let unit = UInt16(digits, radix: 16)
            else {
                throw fault("\\u needs four hexadecimal digits", at: start)
            }
            units.append(unit)
            offset += 4
        } while UTF16.isLeadSurrogate(units[0]) && units.count == 1
            && bytes[offset...].starts(with: #"\u"#.utf8)
        // JSON may have it, C ends a string there: paths, names and passwords go to C.
        if units == [0] { throw fault("a NUL character in a string", at: quote) }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw fault("an escape for half a character (a lone surrogate)", at: start)
        }
        guard units.count == 2 else { return }
        bytes.replaceSubrange(
            start..<offset, with: text.utf8 + [UInt8](repeating: Self.filler, count: 8))
        hasFillers = true
    }

    private func isPlain(_ place: Range<Int>) -> Bool {
        !bytes[place].contains { $0 == "\\" || $0 == Self.filler }
    }

    /// The characters of a string, as json-c reads them.
    private func string(at place: Range<Int>) -> String {
        if isPlain(place) { return String(decoding: bytes[place], as: UTF8.self) }
        let quoted = bytes[place.lowerBound - 1...place.upperBound].filter { $0 != Self.filler }
        return (try? JSONTokener(quoted + [0], depth: 0).root.string) ?? ""
    }

    /// Reads a number, `true`, `false` or `null`.
    private mutating func literal() throws(JSONFault) {
        let start = offset
        if let fits = number() {
            if fits { return }
            throw fault("a number that is too large to hold", at: start, code: .outOfRange)
        }
        offset = start
        while !ends(bytes[offset]) { offset += 1 }
        let word = String(decoding: bytes[start..<offset].prefix(40), as: UTF8.self)
        switch word {
        case "true", "false", "null": return
        case "" where start == end:
            throw JSONFault("the text ends in the middle of a value", at: end)
        case "": throw JSONFault("this was not expected here", at: start)
        case _ where word.hasPrefix("/") || word.hasPrefix("#"):
            throw fault("comments are not allowed here", at: start)
        default:
            throw fault(
                "\(word.quotedForPeople) is no value; strings need double quotes", at: start)
        }
    }

    /// Whether a `Double`, or 64 bits for a number without fraction and exponent, hold the number; `nil` when it is none.
    private mutating func number() -> Bool? {
        let start = offset
        _ = skip("-")
        let isZero = bytes[offset] == "0"
        let digits = skipDigits()
        guard digits == 1 || digits > 1 && !isZero else { return nil }
        let wholeEnd = offset
        if skip("."), skipDigits() == 0 { return nil }
        let hasExponent = skip("e") || skip("E")
        if hasExponent {
            _ = skip("+") || skip("-")
            if skipDigits() == 0 { return nil }
        }
        guard ends(bytes[offset]) else { return nil }
        if digits <= 18, !hasExponent { return true }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if offset == wholeEnd { return Int64(text) != nil || UInt64(text) != nil }
        return Double(text)?.isFinite == true
    }

    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        if bytes[offset] != byte { return false }
        offset &+= 1
        return true
    }

    private mutating func skipDigits() -> Int {
        let start = offset
        while bytes[offset] &- 0x30 < 10 { offset &+= 1 }
        return offset &- start
    }

    private func ends(_ byte: UInt8) -> Bool {
        switch byte {
        case 0, " ", "\t", "\n", "\r", "{", "}", "[", "]", ",", ":", "\"": true
        case "/", "#": allowsComments
        default: false
        }
    }

    /// A fault of the value that is being read.
    private func fault(
        _ sentence: String, at place: Int? = nil, code: Fault.Code = .invalidJSON
    ) -> JSONFault {
        JSONFault(sentence, at: place ?? offset, code: code, way: [])
    }
}

/// Bytes are written as characters here.
func ~= (character: Unicode.Scalar, byte: UInt8) -> Bool { character.value == byte }
func == (byte: UInt8, character: Unicode.Scalar) -> Bool { character.value == byte }
func != (byte: UInt8, character: Unicode.Scalar) -> Bool { character.value != byte }
