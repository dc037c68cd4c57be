/// Comments in JSON, which only the local configuration file may have: `// …` and `/* … */`.
enum JSONComments {
    /// Replaces each byte of a comment with a blank, so that every offset stays valid.
    static func blanked(_ text: [UInt8]) throws(JSONFlaw) -> [UInt8] {
        var blanked = text
        var offset = 0
        while offset < text.count {
            switch text[offset] {
            case UInt8(ascii: "\""):
                offset = endOfString(in: text, from: offset)
            case UInt8(ascii: "/"):
                let end = try endOfComment(in: text, from: offset)
                for index in offset..<end where text[index] != UInt8(ascii: "\n") {
                    blanked[index] = UInt8(ascii: " ")
                }
                offset = end
            case UInt8(ascii: "#"):
                throw JSONFlaw("comments begin with “//” or “/*”, not with “#”", at: offset)
            default:
                offset += 1
            }
        }
        return blanked
    }

    private static func endOfString(in text: [UInt8], from start: Int) -> Int {
        var offset = start + 1
        while offset < text.count {
            switch text[offset] {
            case UInt8(ascii: "\""): return offset + 1
            case UInt8(ascii: "\\"): offset += 2
            default: offset += 1
            }
        }
        return text.count
    }

    private static func endOfComment(
        in text: [UInt8], from start: Int
    ) throws(JSONFlaw) -> Int {
        let rest = text[(start + 1)...]
        switch rest.first {
        case UInt8(ascii: "/"):
            return rest.firstIndex(of: UInt8(ascii: "\n")) ?? text.count
        case UInt8(ascii: "*"):
            var offset = start + 2
            while offset + 1 < text.count {
                if text[offset] == UInt8(ascii: "*"), text[offset + 1] == UInt8(ascii: "/") {
                    return offset + 2
                }
                offset += 1
            }
            throw JSONFlaw("the comment that begins here has no end", at: start)
        default:
            throw JSONFlaw(
                "a lone “/”; a comment begins with “//” or “/*”", at: start)
        }
    }
}
