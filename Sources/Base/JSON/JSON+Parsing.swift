extension JSON {
    /// The default limit of nesting.
    package static let usualDepth = 16

    /// Reads one JSON text (RFC 8259), strictly: any bytes give a value or an error.
    ///
    /// No more than `maxBytes` are read at all, and no more than `depth` arrays and objects in each other. Comments,
    /// `//` and `/* */`, may stand between values where they are allowed.
    package init(
        parsing bytes: [UInt8], maxBytes: Int, depth: Int = JSON.usualDepth,
        allowingComments: Bool = false
    ) throws(JSONSyntaxError) {
        self = try JSONDocument(
            parsing: bytes, maxBytes: maxBytes, depth: depth, allowingComments: allowingComments
        ).root.tree
    }
}

extension JSONDocument {
    /// U+FEFF in UTF-8, which some editors put before a text and RFC 8259 section 8.1 forbids.
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    convenience init(
        parsing bytes: [UInt8], maxBytes: Int, depth: Int, allowingComments: Bool
    ) throws(JSONSyntaxError) {
        do throws(JSONFlaw) {
            let parser = try Self.parsed(bytes, maxBytes, depth, allowingComments)
            self.init(parser.text, parser.nodes)
        } catch {
            throw JSONSyntaxError(error, in: bytes)
        }
    }

    private static func parsed(
        _ bytes: [UInt8], _ maxBytes: Int, _ depth: Int, _ allowingComments: Bool
    ) throws(JSONFlaw) -> JSONParser {
        // Nodes have offsets of 32 bits.
        guard bytes.count <= min(maxBytes, Int(Int32.max) - 1) else {
            throw JSONFlaw(
                "\(bytes.count) bytes are more than the \(maxBytes) that are read", at: 0,
                code: .tooLarge)
        }
        if bytes.starts(with: byteOrderMark) {
            throw JSONFlaw("begins with a byte order mark; save it as UTF-8 without one", at: 0)
        }
        try bytes.checkCharacters()
        let text = allowingComments ? try JSONComments.blanked(bytes) : bytes
        var parser = JSONParser(text, depth: depth)
        try parser.parse()
        return parser
    }
}
