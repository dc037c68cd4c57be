import JSON

/// The differences between two documents, value by value.
struct Difference: Equatable {
    struct Change: Equatable {
        let pointer: JSONPointer
        /// `nil` for a new value.
        let old: JSON?
        /// `nil` for a removed value.
        let new: JSON?
    }

    /// Changed and removed values in the order of the old document, then new values.
    let changes: [Change]

    var isEmpty: Bool { changes.isEmpty }

    init(from old: JSON, to new: JSON) {
        let before = Self.leaves(of: old, at: .root)
        let after = Self.leaves(of: new, at: .root)
        let was = Dictionary(before.map { ($0.0, $0.1) }, uniquingKeysWith: { $1 })
        let becomes = Dictionary(after.map { ($0.0, $0.1) }, uniquingKeysWith: { $1 })
        changes =
            before.compactMap { pointer, value in
                becomes[pointer] == value
                    ? nil : Change(pointer: pointer, old: value, new: becomes[pointer])
            }
            + after.compactMap { pointer, value in
                was[pointer] == nil ? Change(pointer: pointer, old: nil, new: value) : nil
            }
    }

    /// All values that are not objects, and the empty objects. An array is one value.
    private static func leaves(of json: JSON, at pointer: JSONPointer) -> [(JSONPointer, JSON)] {
        guard case .object(let members) = json else { return [(pointer, json)] }
        if members.isEmpty { return pointer == .root ? [] : [(pointer, json)] }
        return members.flatMap { leaves(of: $0.value, at: pointer.appending($0.key)) }
    }
}
