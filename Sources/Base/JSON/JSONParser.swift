/// Reads a text (RFC 8259) into nodes, strictly. The first fault ends it.
struct JSONParser {
    /// Valid UTF-8, with comments blanked.
    let text: [UInt8]
    var nodes: [JSONNode] = []
    var offset = 0
    /// The value being read; -1 outside of all values.
    var current = -1
    private let depth: Int

    /// The levels that are never exceeded: values are read, compared and freed by recursion.
    private static let maxDepth = 512

    init(_ text: [UInt8], depth: Int) {
        self.text = text
        self.depth = min(depth, Self.maxDepth)
        nodes.reserveCapacity(text.count / 12 + 1)
    }

    mutating func parse() throws(JSONFlaw) {
        guard let first = nextByte() else {
            throw flaw("there is nothing here; a JSON value was expected", at: offset)
        }
        try value(first, key: JSONNode.Characters(), level: 0)
        current = -1
        if let byte = nextByte() {
            throw Self.beginsComment(byte) ? noComments(at: offset) : textBehindEnd()
        }
    }

    /// Reads a value that begins with `first`.
    private mutating func value(
        _ first: UInt8, key: JSONNode.Characters, level: Int
    ) throws(JSONFlaw) {
        let index = nodes.count
        let parent = Int32(truncatingIfNeeded: current)
        nodes.append(
            JSONNode(parent: parent, next: Int32(truncatingIfNeeded: index &+ 1), key: key))
        current = index
        switch first {
        case UInt8(ascii: "\""):
            nodes[index].kind = .string
            nodes[index].characters = try string()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard level < depth else {
                throw flaw("nested deeper than \(depth) levels", at: offset)
            }
            offset += 1
            if first == UInt8(ascii: "{") {
                nodes[index].kind = .object
                try members(of: index, level: level)
            } else {
                nodes[index].kind = .array
                try elements(of: index, level: level)
            }
            nodes[index].next = Int32(truncatingIfNeeded: nodes.count)
        case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: ":"):
            throw JSONFlaw("this was not expected here", at: offset)
        default: (nodes[index].kind, nodes[index].bits) = try literal()
        }
    }

    private mutating func members(of object: Int, level: Int) throws(JSONFlaw) {
        var keys = JSONKeys(of: object)
        var byte = nextByte()
        if byte == UInt8(ascii: "}") { return offset += 1 }
        while true {
            guard byte == UInt8(ascii: "\"") else {
                throw try unexpected("a key in double quotes was expected")
            }
            let start = offset
            let key = try string()
            let isNew = keys.insert(key, text, nodes)
            guard nextByte() == UInt8(ascii: ":") else {
                throw try unexpected("“:” was expected")
            }
            offset += 1
            guard isNew else {
                let pointer = nodes.pointer(to: object, in: text).appending(text.string(key))
                throw JSONFlaw("this key is there twice", at: start, pointer: pointer)
            }
            guard let first = nextByte() else { throw endsEarly() }
            try value(first, key: key, level: level + 1)
            current = object
            byte = try behindValue(UInt8(ascii: "}"), "“,” or “}” was expected")
            if byte == nil { return }
        }
    }

    private mutating func elements(of array: Int, level: Int) throws(JSONFlaw) {
        var byte = nextByte()
        if byte == UInt8(ascii: "]") { return offset += 1 }
        var place = JSONNode.Characters()
        while true {
            guard let first = byte else { throw endsEarly() }
            try value(first, key: place, level: level + 1)
            place.start &+= 1
            current = array
            byte = try behindValue(UInt8(ascii: "]"), "“,” or “]” was expected")
            if byte == nil { return }
        }
    }

    /// Reads a comma and returns the byte of what follows, or reads the closing bracket and returns `nil`.
    private mutating func behindValue(
        _ bracket: UInt8, _ expectation: String
    ) throws(JSONFlaw) -> UInt8? {
        let byte = nextByte()
        let comma = offset
        guard byte == UInt8(ascii: ",") else {
            guard byte == bracket else { throw try unexpected(expectation) }
            offset += 1
            return nil
        }
        offset += 1
        guard let next = nextByte() else { throw endsEarly() }
        if next == bracket { throw flaw("a comma with nothing behind it", at: comma) }
        return next
    }

    /// The next byte after blanks, without reading it; `nil` at the end.
    private mutating func nextByte() -> UInt8? {
        while offset < text.count {
            let byte = text[offset]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                offset &+= 1
            default: return byte
            }
        }
        return nil
    }
}
