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
        self = try JSONTokener(
            parsing: bytes, maxBytes: maxBytes, depth: depth, allowingComments: allowingComments
        ).root.tree
    }
}

extension JSONTokener {
    convenience init(
        parsing bytes: [UInt8], maxBytes: Int, depth: Int, allowingComments: Bool
    ) throws(JSONSyntaxError) {
        do throws(JSONFault) {
            let text = try JSONText(
                bytes, maxBytes: maxBytes, depth: depth, allowsComments: allowingComments)
            try self.init(text.bytes, depth: text.depth)
        } catch {
            throw JSONSyntaxError(error, in: bytes)
        }
    }

    /// A tree, as the text that it has.
    convenience init(_ json: JSON) throws(JSONFault) {
        let text = try JSONText(json.bytes, maxBytes: .max, depth: .max, allowsComments: false)
        try self.init(text.bytes, depth: text.depth)
    }
}
