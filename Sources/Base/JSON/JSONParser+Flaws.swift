import Primitives

extension JSONParser {
    /// A flaw of the value being read.
    func flaw(
        _ sentence: String, at offset: Int, code: Fault.Code = .invalidJSON
    ) -> JSONFlaw {
        JSONFlaw(sentence, at: offset, code: code, pointer: nodes.pointer(to: current, in: text))
    }

    func endsEarly() -> JSONFlaw {
        JSONFlaw("the text ends in the middle of a value", at: text.count)
    }

    /// A flaw of the next bytes. When they are no part of JSON at all, it says so.
    mutating func unexpected(_ expectation: String) throws(JSONFlaw) -> JSONFlaw {
        guard offset < text.count else { return endsEarly() }
        let start = offset
        if !Self.endsLiteral(text[offset]) { _ = try literal() }
        return JSONFlaw(expectation, at: start)
    }

    func textBehindEnd() -> JSONFlaw {
        let line = text[offset...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        // The excerpt shows fewer characters than 200 bytes hold (at most four bytes each), so a
        // cut one stays hidden.
        let excerpt = String(decoding: line.prefix(200), as: UTF8.self).quotedForPeople
        return JSONFlaw("text behind the end of the document: \(excerpt)", at: offset)
    }

    static func beginsComment(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "#")
    }

    func noComments(at offset: Int) -> JSONFlaw {
        flaw("comments are not allowed here", at: offset)
    }
}
