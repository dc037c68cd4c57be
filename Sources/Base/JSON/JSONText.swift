import Primitives

/// The gate before json-c: one pass over a text from outside that finds what is no JSON (RFC 8259), and its place. It also
/// stops what json-c's versions read in different ways, or wrongly: wide numbers, duplicate keys, NUL, invalid UTF-8.
struct JSONText {
    /// The text, its comments blanked, and a NUL behind it.
    private(set) var bytes: [UInt8]
    /// The escapes of characters above U+FFFF. json-c 0.16 takes some of them for half a character.
    var pairs: [(place: Range<Int>, scalar: Unicode.Scalar)] = []
    let end: Int
    let depth: Int
    let allowsComments: Bool
    var offset = 0
    private var objects = 0
    /// The keys of all objects being read, without their quotes.
    private var keys: [Range<Int>] = []

    /// The levels that are never exceeded: values are read, compared and freed by recursion.
    private static let maxDepth = 512
    /// The keys of an object with more than these are in a set, which has a random seed.
    private static let fewKeys = 16
    static let escapes: [UInt8: Unicode.Scalar] = [
        0x22: "\"", 0x5c: "\\", 0x2f: "/", 0x62: "\u{8}", 0x66: "\u{c}", 0x6e: "\n", 0x72: "\r",
        0x74: "\t", 0x75: "u",
    ]
    static let words: Set = ["true", "false", "null"]

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
        self.depth = min(depth, Self.maxDepth)
        self.allowsComments = allowsComments
        if try next() == 0 { throw fault("there is nothing here; a JSON value was expected") }
        try value(level: 0)
        guard try next() == 0 else { throw behindEnd() }
    }

    /// The text for json-c.
    var passed: [UInt8] {
        var text: [UInt8] = []
        var start = 0
        for pair in pairs {
            text += bytes[start..<pair.place.lowerBound]
            text += Array(String(pair.scalar).utf8)
            start = pair.place.upperBound
        }
        return pairs.isEmpty ? bytes : text + bytes[start...]
    }

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
        offset += isLine ? 2 : 3
        while offset < end,
            bytes[offset] != (isLine ? "\n" : "/") || !isLine && bytes[offset - 1] != "*"
        {
            offset += 1
        }
        guard isLine || offset < end else {
            throw JSONFault("the comment that begins here has no end", at: start)
        }
        if !isLine { offset += 1 }
        for index in start..<offset where bytes[index] != "\n" {
            if bytes[index] == 0 { throw JSONFault("a NUL character", at: index) }
            bytes[index] = 0x20
        }
    }

    private mutating func value(level: Int) throws(JSONFault) {
        let first = try next()
        switch first {
        case "\"": _ = try string()
        case "{", "[":
            guard level < depth else { throw fault("nested deeper than \(depth) levels") }
            // json-c needs hundreds of bytes for an object, however short.
            objects += first == "{" ? 1 : 0
            guard objects <= 1000 + end / 24 else {
                throw fault("more objects than \(end) bytes may have", code: .tooLarge)
            }
            offset += 1
            try contents(until: first + 2, level: level)
        case "}", "]", ",", ":": throw JSONFault("this was not expected here", at: offset)
        case 0: throw endsEarly
        default: try literal()
        }
    }

    /// Reads members or elements and the bracket behind them.
    private mutating func contents(until bracket: UInt8, level: Int) throws(JSONFault) {
        let firstKey = keys.count
        var known = KnownKeys()
        var index = 0
        if try next() == bracket { return offset += 1 }
        repeat {
            if bracket == "}" { try key(firstKey, &known) }
            do throws(JSONFault) {
                try value(level: level + 1)
            } catch {
                let key = bracket == "}" ? string(at: keys[firstKey + index]) : nil
                throw error.inside(key.map { .key($0) } ?? .index(index))
            }
            index += 1
        } while try isFollowed(until: bracket)
        keys.removeSubrange(firstKey...)
    }

    /// Reads a comma, or the closing bracket.
    private mutating func isFollowed(until bracket: UInt8) throws(JSONFault) -> Bool {
        let byte = try next()
        let comma = offset
        guard byte == "," || byte == bracket else {
            throw try unexpected("“,” or “\(Unicode.Scalar(bracket))” was expected")
        }
        offset += 1
        if byte == bracket { return false }
        if try next() == bracket { throw fault("a comma with nothing behind it", at: comma) }
        return true
    }

    /// The keys of one object so far.
    private struct KnownKeys {
        /// A bit for each key. A key whose bit is new is new itself.
        var marks: UInt64 = 0
        /// The keys, once there are many of them, or one that has an escape.
        var set: Set<[UInt8]>?
    }

    /// Reads a key and the colon.
    private mutating func key(_ firstKey: Int, _ known: inout KnownKeys) throws(JSONFault) {
        guard try next() == "\"" else {
            throw try unexpected("a key in double quotes was expected")
        }
        let key = try string()
        let others = firstKey..<keys.count
        let isNew: Bool
        if known.set == nil, others.count < Self.fewKeys, !hasEscape(key) {
            let mark = mark(of: key)
            isNew = known.marks & mark == 0 || !others.contains { isSame(keys[$0], key) }
            known.marks |= mark
        } else {
            if known.set == nil { known.set = Set(keys[others].map { Array(string(at: $0).utf8) }) }
            isNew = known.set?.insert(Array(string(at: key).utf8)).inserted ?? false
        }
        guard try next() == ":" else { throw try unexpected("“:” was expected") }
        offset += 1
        keys.append(key)
        if !isNew {
            throw fault("duplicate key", at: key.lowerBound - 1).inside(.key(string(at: key)))
        }
    }

    private func isSame(_ key: Range<Int>, _ other: Range<Int>) -> Bool {
        key.count == other.count && bytes[key].elementsEqual(bytes[other])
    }

    /// One of 64 bits, by the length, the first and the last character.
    private func mark(of key: Range<Int>) -> UInt64 {
        let ends = Int(bytes[key.lowerBound]) &+ 5 &* Int(bytes[key.upperBound &- 1])
        return 1 &<< UInt64(truncatingIfNeeded: ends &+ 11 &* key.count)
    }

    func ends(_ byte: UInt8) -> Bool {
        switch byte {
        case 0, " ", "\t", "\n", "\r", "{", "}", "[", "]", ",", ":", "\"": true
        case "/", "#": allowsComments
        default: false
        }
    }

    // MARK: Faults

    /// A fault of the value that is being read.
    func fault(
        _ sentence: String, at place: Int? = nil, code: Fault.Code = .invalidJSON
    ) -> JSONFault {
        JSONFault(sentence, at: place ?? offset, code: code, way: [])
    }

    private var endsEarly: JSONFault {
        JSONFault("the text ends in the middle of a value", at: end)
    }

    /// A fault of the next bytes. When they are no part of JSON at all, it says so.
    private mutating func unexpected(_ expectation: String) throws(JSONFault) -> JSONFault {
        guard offset < end else { return endsEarly }
        let start = offset
        if !ends(bytes[offset]) { try literal() }
        return JSONFault(expectation, at: start)
    }

    private func behindEnd() -> JSONFault {
        let isComment = bytes[offset] == "/" || bytes[offset] == "#"
        if isComment { return fault("comments are not allowed here") }
        let line = bytes[offset..<end].prefix { $0 != "\n" && $0 != "\r" }
        // The excerpt shows fewer characters than 200 bytes hold (at most four bytes each), so a cut one stays hidden.
        let excerpt = String(decoding: line.prefix(200), as: UTF8.self).quotedForPeople
        return JSONFault("text behind the end of the document: \(excerpt)", at: offset)
    }

    func hasEscape(_ place: Range<Int>) -> Bool { place.contains { bytes[$0] == "\\" } }
}

/// Bytes are written as characters here.
func ~= (character: Unicode.Scalar, byte: UInt8) -> Bool { character.value == byte }
func == (byte: UInt8, character: Unicode.Scalar) -> Bool { character.value == byte }
func != (byte: UInt8, character: Unicode.Scalar) -> Bool { character.value != byte }
