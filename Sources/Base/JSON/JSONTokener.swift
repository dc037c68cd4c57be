import CJSON

/// A JSON text as json-c read it. This file is the only caller of json-c.
///
/// json-c's versions differ in what they accept, with and without their strict mode. `JSONText` passes only texts that
/// all of them read alike, so json-c reads them without a flag.
@usableFromInline
final class JSONTokener {
    private let object: OpaquePointer?

    /// The outermost value.
    var root: JSONValue { JSONValue(owner: self, object: object) }

    /// - Parameter text: valid JSON, and a NUL behind it.
    /// - Parameter depth: the levels of arrays and objects.
    init(_ text: [UInt8], depth: Int) throws(JSONFault) {
        // json-c counts the value inside the innermost level, and one more.
        guard let tokener = json_tokener_new_ex(Int32(clamping: depth &+ 2)) else {
            throw JSONFault("json-c has no memory", at: 0)
        }
        defer { json_tokener_free(tokener) }
        object = text.withUnsafeBytes { bytes in
            json_tokener_parse_ex(
                tokener, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: bytes.count))
        }
        // A `null` has no object either.
        let outcome = json_tokener_get_error(tokener)
        if outcome != json_tokener_success {
            let reason = json_tokener_error_desc(outcome).map { String(cString: $0) } ?? ""
            throw JSONFault("json-c: \(reason)", at: json_tokener_get_parse_end(tokener))
        }
    }

    deinit { json_object_put(object) }
}

/// A value of a text.
@usableFromInline
struct JSONValue {
    /// Keeps the value alive.
    private let owner: JSONTokener
    /// `nil` for `null`.
    private let object: OpaquePointer?

    fileprivate init(owner: JSONTokener, object: OpaquePointer?) {
        self.owner = owner
        self.object = object
    }

    @usableFromInline var kind: JSONKind {
        switch json_object_get_type(object) {
        case json_type_boolean: .bool
        case json_type_int: isLarge ? .number : .integer
        case json_type_double: .number
        case json_type_string: .string
        case json_type_array: .array
        case json_type_object: .object
        default: .null
        }
    }

    /// Whether a whole number is one from 2⁶³ to 2⁶⁴ − 1.
    private var isLarge: Bool {
        json_object_get_int64(object) == .max && json_object_get_uint64(object) > Int64.max
    }

    /// A whole number from 0 to 2⁶⁴ − 1, exactly; `nil` for another value.
    var unsigned: UInt64? {
        switch kind {
        case .integer: UInt64(exactly: integer)
        case .number:
            json_object_get_type(object) == json_type_int
                ? json_object_get_uint64(object) : UInt64(exactly: number)
        default: nil
        }
    }

    var bool: Bool { json_object_get_boolean(object) != 0 }
    /// The value of an integer.
    var integer: Int64 { json_object_get_int64(object) }
    /// The value of an integer or a number.
    var number: Double {
        json_object_get_type(object) == json_type_int && isLarge
            ? Double(json_object_get_uint64(object)) : json_object_get_double(object)
    }

    /// The value of a string.
    @usableFromInline var string: String { withCharacters { String(decoding: $0, as: UTF8.self) } }

    /// Gives a string's UTF-8 to `body`.
    @inlinable
    func withCharacters<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        body(characters)
    }

    /// A string's UTF-8, which lasts as long as the value.
    @usableFromInline var characters: UnsafeBufferPointer<UInt8> {
        let start = UnsafeRawPointer(json_object_get_string(object))
        return UnsafeBufferPointer(
            start: start?.assumingMemoryBound(to: UInt8.self),
            count: Int(json_object_get_string_len(object)))
    }

    @usableFromInline
    func isString(_ other: String) -> Bool { withCharacters { $0.elementsEqual(other.utf8) } }

    /// The number of elements of an array.
    @usableFromInline var count: Int { json_object_array_length(object) }

    /// An element of an array.
    @usableFromInline
    subscript(index: Int) -> JSONValue {
        JSONValue(owner: owner, object: json_object_array_get_idx(object, index))
    }

    /// A place in an object.
    struct Cursor {
        fileprivate var next: UnsafeMutablePointer<lh_entry>?
    }

    /// The place before an object's first member.
    var start: Cursor { Cursor(next: lh_table_head(json_object_get_object(object))) }

    /// The value of an object's member; `nil` when it has none of this key.
    ///
    /// Most members are read in the order of the text: the one at the cursor needs no search.
    func member(_ key: String, at cursor: inout Cursor) -> JSONValue? {
        let value: OpaquePointer?? = key.withCString { key in
            if let entry = cursor.next, strcmp(lh_entry_k(entry), key) == 0 {
                cursor.next = lh_entry_next(entry)
                return OpaquePointer(lh_entry_v(entry))
            }
            var value: OpaquePointer?
            return json_object_object_get_ex(object, key, &value) != 0 ? .some(value) : nil
        }
        return value.map { JSONValue(owner: owner, object: $0) }
    }

    /// The members of an object, in the order of the text.
    var members: [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = []
        var next = json_object_iter_begin(object)
        var end = json_object_iter_end(object)
        while json_object_iter_equal(&next, &end) == 0 {
            let value = json_object_iter_peek_value(&next)
            members.append(
                (
                    String(cString: json_object_iter_peek_name(&next)),
                    JSONValue(owner: owner, object: value)
                ))
            json_object_iter_next(&next)
        }
        return members
    }

    /// The value with all that it contains.
    var tree: JSON {
        switch kind {
        case .null: .null
        case .bool: .bool(bool)
        case .integer: .integer(integer)
        case .number: .number(number)
        case .string: .string(string)
        case .array: .array((0..<count).map { self[$0].tree })
        case .object: .object(members.map { JSON.Member($0.key, $0.value.tree) })
        }
    }
}
