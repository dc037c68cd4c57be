/// Checks a text before json-c reads it, for faults that json-c accepts or reports without detail.
///
/// It finds these faults:
/// - objects with a duplicate key (json-c keeps the last),
/// - nesting beyond the limit,
/// - names of other languages for values (`NaN`, `True`), and numbers out of range,
/// - bad escapes, and control characters in strings,
/// - trailing commas, and text after the end.
///
/// json-c finds the other faults between values.
struct JSONScanner {
    private enum Frame {
        /// `key` is that of the member being read; `nil` while the next string is a key.
        case object(keys: Set<[UInt8]>, key: [UInt8]?)
        case array(index: Int)
    }

    /// Valid UTF-8, with comments blanked.
    let text: [UInt8]
    var offset = 0
    private let depth: Int
    private var frames: [Frame] = []
    /// The comma that was the last thing but blanks.
    private var comma: Int?
    /// The outermost value is complete.
    private var hasEnded = false

    init(_ text: [UInt8], depth: Int) {
        self.text = text
        self.depth = depth
    }

    /// Reads to the end, or to a bracket that closes nothing, where json-c fails.
    mutating func scan() throws(JSONFlaw) {
        while offset < text.count {
            let byte = text[offset]
            if " \t\n\r".utf8.contains(byte) {
                offset += 1
                continue
            }
            if hasEnded, byte != UInt8(ascii: "/"), byte != UInt8(ascii: "#") {
                throw textBehindEnd()
            }
            let comma = comma
            self.comma = nil
            switch byte {
            case UInt8(ascii: "{"): try open(.object(keys: [], key: nil))
            case UInt8(ascii: "["): try open(.array(index: 0))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard close(byte) else { return }
                if let comma { throw error("a comma with nothing behind it", at: comma) }
                offset += 1
            case UInt8(ascii: ","):
                advance()
                self.comma = offset
                offset += 1
            case UInt8(ascii: ":"): offset += 1
            case UInt8(ascii: "\""): try string()
            default: try literal()
            }
            // A comma or a colon outside of everything is no value.
            hasEnded = frames.isEmpty && byte != UInt8(ascii: ",") && byte != UInt8(ascii: ":")
        }
    }

    /// Leaves the innermost array or object; `false` when the bracket is not its own.
    private mutating func close(_ bracket: UInt8) -> Bool {
        switch (frames.last, bracket) {
        case (.object, UInt8(ascii: "}")), (.array, UInt8(ascii: "]")):
            frames.removeLast()
            return true
        default: return false
        }
    }

    private func textBehindEnd() -> JSONFlaw {
        let line = text[offset...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        // The excerpt shows fewer characters than 200 bytes hold (at most four bytes each), so a
        // cut one stays hidden.
        let excerpt = String(decoding: line.prefix(200), as: UTF8.self).quotedForPeople
        return error("text behind the end of the document: \(excerpt)", at: offset)
    }

    private mutating func open(_ frame: Frame) throws(JSONFlaw) {
        guard frames.count < depth else {
            throw error("nested deeper than \(depth) levels", at: offset)
        }
        frames.append(frame)
        offset += 1
    }

    private mutating func advance() {
        switch frames.popLast() {
        case .object(let keys, _): frames.append(.object(keys: keys, key: nil))
        case .array(let index): frames.append(.array(index: index + 1))
        case nil: break
        }
    }

    private mutating func string() throws(JSONFlaw) {
        let start = offset
        let value = try decodeString()
        // JSON may have it, C ends a string there: paths, names and passwords go to C.
        guard !value.contains(0) else { throw error("a NUL character in a string", at: start) }
        guard case .object(var keys, nil) = frames.last else { return }
        // Not before the frame is popped, lest the set be copied for every key.
        frames.removeLast()
        let isNew = keys.insert(value).inserted
        frames.append(.object(keys: keys, key: value))
        guard isNew else { throw error("this key is there twice", at: start) }
    }

    private mutating func literal() throws(JSONFlaw) {
        let start = offset
        while offset < text.count, !Self.delimiters.contains(text[offset]) { offset += 1 }
        let literal = text[start..<offset]
        switch JSONNumber(literal) {
        case .fits: return
        case .tooLarge:
            throw error("a number that is too large to hold", at: start, code: .outOfRange)
        case .none: break
        }
        let word = String(decoding: literal.prefix(40), as: UTF8.self)
        if ["true", "false", "null"].contains(word) { return }
        if literal.first == UInt8(ascii: "/") || literal.first == UInt8(ascii: "#") {
            throw error("comments are not allowed here", at: start)
        }
        throw error("\(word.quotedForPeople) is no value; strings need double quotes", at: start)
    }

    private static let delimiters = Set(" \t\n\r{}[],:\"".utf8)

    func error(
        _ sentence: String, at offset: Int, code: Fault.Code = .invalidJSON
    ) -> JSONFlaw {
        var pointer = JSONPointer.root
        for frame in frames {
            switch frame {
            case .object(_, let key?):
                pointer = pointer.appending(String(decoding: key, as: UTF8.self))
            case .object(_, nil): break
            case .array(let index): pointer = pointer.appending(index)
            }
        }
        return JSONFlaw(sentence, at: offset, code: code, pointer: pointer)
    }
}
