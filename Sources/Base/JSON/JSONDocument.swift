/// A valid JSON text and its values, in the order of the text.
///
/// Readers take what they need from here. Only `JSON` makes a tree of all values.
@usableFromInline
final class JSONDocument {
    let text: [UInt8]
    /// A value's contents follow it; the outermost value is the first.
    let nodes: [JSONNode]
    /// The place of the outermost value in a larger document.
    let place: JSONPointer

    init(_ text: [UInt8], _ nodes: [JSONNode], at place: JSONPointer = .root) {
        self.text = text
        self.nodes = nodes
        self.place = place
    }

    /// A tree, as the text that it has.
    convenience init(_ json: JSON, at place: JSONPointer) throws(JSONFlaw) {
        var parser = JSONParser(json.bytes, depth: .max)
        try parser.parse()
        self.init(parser.text, parser.nodes, at: place)
    }

    var root: JSONValue { JSONValue(document: self, index: 0) }

    /// The index of an object's member; `nil` when it has none of this key.
    ///
    /// - Parameter hint: where the search begins. Members that are read in their order are found at once.
    func member(_ key: String, of object: Int, from hint: Int) -> Int? {
        key.utf8.withContiguousStorageIfAvailable { member($0, of: object, from: hint) } ?? nil
    }

    private func member(
        _ key: UnsafeBufferPointer<UInt8>, of object: Int, from hint: Int
    ) -> Int? {
        let end = Int(nodes[object].next)
        var index = hint
        while index < end {
            if has(key, nodes[index].key) { return index }
            index = Int(nodes[index].next)
        }
        index = object + 1
        while index < hint {
            if has(key, nodes[index].key) { return index }
            index = Int(nodes[index].next)
        }
        return nil
    }

    private func has(_ key: UnsafeBufferPointer<UInt8>, _ characters: JSONNode.Characters) -> Bool {
        if characters.hasEscapes { return text.resolved(characters).elementsEqual(key) }
        guard Int(characters.end &- characters.start) == key.count else { return false }
        let start = Int(characters.start)
        for index in key.indices where text[start &+ index] != key[index] { return false }
        return true
    }
}

/// A value of a document.
@usableFromInline
struct JSONValue {
    let document: JSONDocument
    let index: Int

    private var node: JSONNode { document.nodes[index] }
    @usableFromInline var kind: JSONNode.Kind { document.nodes[index].kind }
    var integer: Int64 { Int64(bitPattern: document.nodes[index].bits) }
    var number: Double { Double(bitPattern: document.nodes[index].bits) }
    @usableFromInline var string: String { document.text.string(node.characters) }
    @usableFromInline
    func isString(_ other: String) -> Bool { string.hasSameBytes(as: other) }

    var key: String { document.text.string(node.key) }

    /// The first value directly in an array or an object.
    @usableFromInline var firstChild: JSONValue? { child(at: index + 1) }

    @usableFromInline
    func child(after sibling: JSONValue) -> JSONValue? { child(at: Int(sibling.node.next)) }

    private func child(at place: Int) -> JSONValue? {
        place < node.next ? JSONValue(document: document, index: place) : nil
    }

    /// The values directly in an array or an object.
    var children: [JSONValue] {
        var values: [JSONValue] = []
        var next = firstChild
        while let value = next {
            values.append(value)
            next = child(after: value)
        }
        return values
    }

    var pointer: JSONPointer {
        document.nodes.pointer(to: index, in: document.text, below: document.place)
    }

    /// The value with all that it contains.
    var tree: JSON {
        switch kind {
        case .null: .null
        case .no: .bool(false)
        case .yes: .bool(true)
        case .integer: .integer(integer)
        case .number: .number(number)
        case .string: .string(string)
        case .array: .array(children.map(\.tree))
        case .object: .object(children.map { JSON.Member($0.key, $0.tree) })
        }
    }
}

extension [JSONNode] {
    func pointer(to index: Int, in text: [UInt8], below place: JSONPointer = .root) -> JSONPointer {
        guard index >= 0, self[index].parent >= 0 else { return place }
        let container = Int(self[index].parent)
        let pointer = pointer(to: container, in: text, below: place)
        let key = self[index].key
        return self[container].kind == .array
            ? pointer.appending(Int(key.start)) : pointer.appending(text.string(key))
    }
}
