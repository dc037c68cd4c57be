import JSON

/// What distinguishes two documents, value by value.
struct Difference: Equatable {
    struct Change: Equatable {
        let pointer: JSONPointer
        /// `nil` where there was nothing.
        let old: JSON?
        /// `nil` where nothing is left.
        let new: JSON?
    }

    /// In the order of the old document, then of the new one.
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

    /// Whatever is no object, and the objects that are empty; an array is one value.
    private static func leaves(of json: JSON, at pointer: JSONPointer) -> [(JSONPointer, JSON)] {
        guard case .object(let members) = json else { return [(pointer, json)] }
        if members.isEmpty { return pointer == .root ? [] : [(pointer, json)] }
        return members.flatMap { leaves(of: $0.value, at: pointer.appending($0.key)) }
    }
}
