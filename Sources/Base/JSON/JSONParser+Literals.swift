import Primitives

extension JSONParser {
    /// Reads a number, `true`, `false` or `null`.
    mutating func literal() throws(JSONFlaw) -> (kind: JSONNode.Kind, bits: UInt64) {
        let start = offset
        var number = JSONNumber()
        if number.read(text, at: &offset), offset == text.count || Self.endsLiteral(text[offset]) {
            if let value = number.value(of: text, start..<offset) { return value }
            throw flaw("a number that is too large to hold", at: start, code: .outOfRange)
        }
        offset = start
        while offset < text.count, !Self.endsLiteral(text[offset]) { offset += 1 }
        let word = String(decoding: text[start..<offset].prefix(40), as: UTF8.self)
        switch word {
        case "true": return (.yes, 0)
        case "false": return (.no, 0)
        case "null": return (.null, 0)
        default: break
        }
        if Self.beginsComment(text[start]) { throw noComments(at: start) }
        throw flaw("\(word.quotedForPeople) is no value; strings need double quotes", at: start)
    }

    static func endsLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"),
            UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""):
            true
        default: false
        }
    }
}
