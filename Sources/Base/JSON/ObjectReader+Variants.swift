extension ObjectReader {
    /// The values that the variants of this object produce. The array's elements are merge patches
    /// (RFC 7396) over the object. A variant inherits all members except the array itself and
    /// `others`, which belong to the object alone.
    ///
    /// A fault has its place in the element. A fault of the object itself appears once: `body` also
    /// reads the object without a patch.
    package mutating func variants<Value>(
        _ key: String, without others: [String], atMost limit: Int,
        _ body: (inout ObjectReader) -> Value?
    ) -> [Value] {
        let isShared = { (member: JSON.Member) in
            !([key] + others).contains { $0.hasSameBytes(as: member.key) }
        }
        let common = JSON.object(members.filter(isShared))
        var inherited: Set<String> = []
        let own = Self.read(common, called: "", at: .root, rules, body)
        if case .failure(let faults) = own {
            inherited = Set(faults.list.map(\.pointer.description))
        }
        return elements(key, atMost: limit) { reader, patch, pointer in
            guard case .object = patch else {
                let message = "an element of \(key) must be an object, not \(patch.kind)"
                reader.note(Faults([Fault(pointer, .wrongType, message)]))
                return nil
            }
            let name = "an element of \(key)"
            switch Self.read(common.merging(patch), called: name, at: pointer, reader.rules, body) {
            case .success(let value): return value
            case .failure(let faults):
                let news = faults.list.filter { fault in
                    let place = fault.pointer.description.dropFirst(pointer.description.count)
                    return !inherited.contains(String(place)) || patch.has(place)
                }
                reader.note(Faults(news))
                return nil
            }
        }
    }
}

extension JSON {
    /// Whether this object says something of the place's first step: `/tls/caFile` of `tls`.
    fileprivate func has(_ place: Substring) -> Bool {
        guard case .object(let members) = self else { return false }
        return members.contains { member in
            let step = JSONPointer.root.appending(member.key).description
            return place == step || place.hasPrefix(step + "/")
        }
    }
}
