import CJSON

extension JSON {
    /// The default limit of nesting.
    package static let usualDepth = 16
    /// The levels that are never exceeded: values are copied, compared and freed by recursion.
    private static let maxDepth = 512
    /// U+FEFF in UTF-8, which some editors put before a text and RFC 8259 section 8.1 forbids.
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Reads one JSON text (RFC 8259), strictly: any bytes give a value or an error.
    ///
    /// No more than `maxBytes` are read at all, and no more than `depth` arrays and objects in each other. Comments,
    /// `//` and `/* */`, may stand between values where they are allowed.
    package init(
        parsing bytes: [UInt8], maxBytes: Int, depth: Int = JSON.usualDepth,
        allowingComments: Bool = false
    ) throws(JSONSyntaxError) {
        do throws(JSONFlaw) {
            self = try Self.parsed(bytes, maxBytes, depth, allowingComments)
        } catch {
            throw JSONSyntaxError(error, in: bytes)
        }
    }

    private static func parsed(
        _ bytes: [UInt8], _ maxBytes: Int, _ depth: Int, _ allowingComments: Bool
    ) throws(JSONFlaw) -> JSON {
        // json-c counts bytes in an int.
        guard bytes.count <= min(maxBytes, Int(Int32.max) - 1) else {
            throw JSONFlaw(
                "\(bytes.count) bytes are more than the \(maxBytes) that are read", at: 0,
                code: .tooLarge)
        }
        if bytes.starts(with: byteOrderMark) {
            throw JSONFlaw("begins with a byte order mark; save it as UTF-8 without one", at: 0)
        }
        if let offset = bytes.firstInvalidUTF8 {
            throw JSONFlaw("this is not UTF-8", at: offset)
        }
        if let offset = bytes.firstIndex(of: 0) {
            throw JSONFlaw("a NUL character", at: offset)
        }
        let text = allowingComments ? try JSONComments.blanked(bytes) : bytes
        var scanner = JSONScanner(text, depth: min(depth, maxDepth))
        try scanner.scan()
        return try JSON(tokenizing: text, depth: depth)
    }

    private init(tokenizing text: [UInt8], depth: Int) throws(JSONFlaw) {
        // Two levels more than the scanner let pass: json-c counts the values in the innermost level as one.
        let levels = CInt(clamping: min(max(0, depth), Self.maxDepth) + 2)
        guard let tokener = json_tokener_new_ex(levels) else {
            throw JSONFlaw("out of memory", at: 0, code: .tooLarge)
        }
        defer { json_tokener_free(tokener) }
        json_tokener_set_flags(tokener, CInt(JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8))
        // The NUL at the end tells json-c that a number at the end of the text is complete.
        let object = (Self.withEscapes(text) + [0]).withUnsafeBytes {
            json_tokener_parse_ex(
                tokener, $0.bindMemory(to: CChar.self).baseAddress, CInt(clamping: $0.count))
        }
        defer { json_object_put(object) }
        let error = json_tokener_get_error(tokener)
        guard error == json_tokener_success else {
            throw JSONFlaw(
                Self.sentence(for: error, isEmpty: text.allSatisfy(Self.isBlank)),
                at: min(json_tokener_get_parse_end(tokener), text.count))
        }
        self.init(object)
    }

    /// Copies json-c's value; the scanner has limited its depth.
    private init(_ object: OpaquePointer?) {
        switch json_object_get_type(object) {
        case json_type_boolean: self = .bool(json_object_get_boolean(object) != 0)
        case json_type_double: self = .number(json_object_get_double(object))
        case json_type_int: self.init(integer: object)
        case json_type_string: self = .string(Self.string(object))
        case json_type_array:
            self = .array(
                (0..<json_object_array_length(object)).map {
                    JSON(json_object_array_get_idx(object, $0))
                })
        case json_type_object:
            var members: [Member] = []
            var iterator = json_object_iter_begin(object)
            var end = json_object_iter_end(object)
            while json_object_iter_equal(&iterator, &end) == 0 {
                // The scanner refuses strings with NUL characters.
                if let key = json_object_iter_peek_name(&iterator) {
                    let value = JSON(json_object_iter_peek_value(&iterator))
                    members.append(Member(String(cString: key), value))
                }
                json_object_iter_next(&iterator)
            }
            self = .object(members)
        default: self = .null
        }
    }

    private init(integer object: OpaquePointer?) {
        let integer = json_object_get_int64(object)
        let unsigned = json_object_get_uint64(object)
        // json-c returns the largest Int64 for larger numbers.
        let isLarger = integer == .max && unsigned > UInt64(Int64.max)
        self = isLarger ? .number(Double(unsigned)) : .integer(integer)
    }

    private static func string(_ object: OpaquePointer?) -> String {
        guard let start = json_object_get_string(object) else { return "" }
        let count = max(0, Int(json_object_get_string_len(object)))
        return String(
            decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Strict json-c 0.17 and 0.18 take bytes beyond ASCII for control characters where `char` is
    /// signed. So they get escapes instead. The scanner has verified that they are in strings.
    private static func withEscapes(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { $0 >= 0x80 }) else { return text }
        var escaped: [UInt8] = []
        for unit in String(decoding: text, as: UTF8.self).utf16 {
            if let ascii = UInt8(exactly: unit), ascii < 0x80 {
                escaped.append(ascii)
            } else {
                let digits = String(unit, radix: 16)
                escaped += Array(
                    ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
            }
        }
        return escaped
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (9...13).contains(byte)
    }

    private static func sentence(for error: json_tokener_error, isEmpty: Bool) -> String {
        if isEmpty { return "there is nothing here; a JSON value was expected" }
        return switch error {
        case json_tokener_continue, json_tokener_error_parse_eof:
            "the text ends in the middle of a value"
        case json_tokener_error_depth: "nested too deep"
        case json_tokener_error_parse_null: "“null” was expected"
        case json_tokener_error_parse_boolean: "“true” or “false” was expected"
        case json_tokener_error_parse_number: "this is no number as JSON writes them"
        case json_tokener_error_parse_array: "“,” or “]” was expected"
        case json_tokener_error_parse_object_key_name: "a key in double quotes was expected"
        case json_tokener_error_parse_object_key_sep: "“:” was expected"
        case json_tokener_error_parse_object_value_sep: "“,” or “}” was expected"
        case json_tokener_error_parse_string: "this is no string as JSON writes them"
        default: "this was not expected here"
        }
    }
}
