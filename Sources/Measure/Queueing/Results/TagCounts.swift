/// Final stays by the kind of their tag.
package struct TagCounts: Equatable, Sendable {
    package private(set) var byKind: [TagKind: Int] = [:]

    mutating func add(_ kind: TagKind) { byKind[kind, default: 0] += 1 }
}
