extension ObjectReader {
    /// What variants of this very object amount to: the elements of an array, each a merge patch (RFC 7396) over the
    /// object's members but for the array itself and for `others`, which are the object's own and no variant's.
    ///
    /// A fault has its place in the element. One that is not the element's doing is not told again: `body` reads the object
    /// without a patch, too.
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
