/// One value of a text: its kind, its place, and the place of its key.
@usableFromInline
struct JSONNode {
    @usableFromInline
    enum Kind: UInt8 { case null, no, yes, integer, number, string, array, object }

    /// The characters of a string between its quotes.
    struct Characters {
        var start: Int32 = 0
        var end: Int32 = 0
        var hasEscapes = false

        var range: Range<Int> { Int(start)..<Int(end) }
    }

    var kind = Kind.null
    /// The array or object that contains the value; -1 for the outermost value.
    let parent: Int32
    /// The index of the node behind this value and all that it contains.
    var next: Int32
    /// The key of an object's member. An array's element has its index as `start`.
    var key: Characters
    /// A string's characters.
    var characters = Characters()
    /// The `Int64` of an integer, the `Double` of a number.
    var bits: UInt64 = 0
}

extension JSONNode.Kind: CustomStringConvertible {
    /// The kind with its article: `a string`, `null`, ….
    @usableFromInline var description: String {
        switch self {
        case .null: "null"
        case .no, .yes: "true or false"
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
