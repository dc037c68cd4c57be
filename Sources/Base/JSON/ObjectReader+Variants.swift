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
        guard case .object(let members) = object.tree else { return [] }
        let common = JSON.object(members.filter(isShared))
        var inherited: Set<String> = []
        do throws(Faults) {
            _ = try Self.read(common, .document(.root), rules, body)
        } catch {
            inherited = Set(error.list.map(\.pointer.description))
        }
        return elements(key, atMost: limit) { reader, element, place in
            guard element.kind == .object else {
                reader.note([Fault.noObject(element, place)])
                return nil
            }
            let patch = element.tree
            let pointer = place.pointer
            do throws(Faults) {
                return try Self.read(common.merging(patch), place, reader.rules, body)
            } catch {
                reader.note(
                    error.list.filter { fault in
                        let place = fault.pointer.description.dropFirst(pointer.description.count)
                        return !inherited.contains(String(place)) || patch.has(place)
                    })
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
