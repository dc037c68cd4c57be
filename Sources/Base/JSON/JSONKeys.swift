/// The keys of one object, to find one that is there twice.
///
/// Few keys are compared one by one. Many, or keys with escapes, are in a set, which has a random seed.
struct JSONKeys {
    private let object: Int
    private var count = 0
    private var set: Set<[UInt8]>?

    private static let few = 16

    init(of object: Int) { self.object = object }

    /// - Returns: whether the key is new. `nodes` has the members before it.
    mutating func insert(
        _ key: JSONNode.Characters, _ text: [UInt8], _ nodes: [JSONNode]
    ) -> Bool {
        count += 1
        guard set != nil || count > Self.few || key.hasEscapes else {
            return !isKnown(key, text, nodes)
        }
        var keys = set ?? members(text, nodes)
        set = nil
        defer { set = keys }
        return keys.insert(text.resolved(key)).inserted
    }

    private func isKnown(
        _ key: JSONNode.Characters, _ text: [UInt8], _ nodes: [JSONNode]
    ) -> Bool {
        var index = object + 1
        while index < nodes.count {
            if text.isEqual(nodes[index].key, key) { return true }
            index = Int(nodes[index].next)
        }
        return false
    }

    private func members(_ text: [UInt8], _ nodes: [JSONNode]) -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        var index = object + 1
        while index < nodes.count {
            keys.insert(text.resolved(nodes[index].key))
            index = Int(nodes[index].next)
        }
        return keys
    }
}

extension [UInt8] {
    /// Whether two strings without escapes have the same bytes.
    fileprivate func isEqual(_ one: JSONNode.Characters, _ other: JSONNode.Characters) -> Bool {
        guard one.end &- one.start == other.end &- other.start else { return false }
        for index in one.range where self[index] != self[index &+ Int(other.start &- one.start)] {
            return false
        }
        return true
    }
}
