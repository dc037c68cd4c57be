extension ObjectReader {
    /// The decoded value of a required object; `nil` after a fault.
    @inlinable
    public mutating func object<Value>(
        _ key: String, _ body: (inout ObjectReader) -> Value?
    ) -> Value? {
        required(key, optionalObject(key, body))
    }

    /// The decoded value of an object, or `nil` when it is absent.
    @inlinable
    public mutating func optionalObject<Value>(
        _ key: String, _ body: (inout ObjectReader) -> Value?
    ) -> Value? {
        guard let value = member(key) else { return nil }
        return nested(value, .member(key, of: place), body)
    }

    /// The decoded objects of an array; empty when it is absent.
    @inlinable
    public mutating func objects<Value>(
        _ key: String, atMost limit: Int, _ body: (inout ObjectReader) -> Value?
    ) -> [Value] {
        elements(key, atMost: limit) { reader, element, place in
            reader.nested(element, place, body)
        }
    }

    /// The elements of an array; empty when it is absent.
    @inlinable
    mutating func elements<Value>(
        _ key: String, atMost limit: Int, _ body: (inout ObjectReader, JSONValue, Place) -> Value?
    ) -> [Value] {
        guard let array = array(key, atMost: limit) else { return [] }
        var values: [Value] = []
        for index in 0..<array.count {
            if let value = body(&self, array[index], .element(index, of: key, in: place)) {
                values.append(value)
            }
        }
        return values
    }

    /// The member, if it is an array and not too long.
    @usableFromInline
    mutating func array(_ key: String, atMost limit: Int) -> JSONValue? {
        guard let value = member(key) else { return nil }
        guard value.kind == .array else {
            noteWrongType(key, "an array", value)
            return nil
        }
        let count = value.count
        guard count <= limit else {
            note(key, .tooLarge, "\(key) must have at most \(limit) elements, not \(count)")
            return nil
        }
        return value
    }

    @inlinable
    mutating func nested<Value>(
        _ value: JSONValue, _ place: Place, _ body: (inout ObjectReader) -> Value?
    ) -> Value? {
        guard var reader = reader(of: value, place) else { return nil }
        let result = body(&reader)
        return accept(&reader, isComplete: result != nil) ? result : nil
    }

    /// Notes the faults of an object in this one.
    ///
    /// - Returns: whether it has none.
    @usableFromInline
    mutating func accept(_ reader: inout ObjectReader, isComplete: Bool) -> Bool {
        let more = reader.finish(isComplete: isComplete)
        if !more.isEmpty { note(more) }
        return more.isEmpty
    }

    @usableFromInline
    mutating func reader(of value: JSONValue, _ place: Place) -> ObjectReader? {
        if let reader = ObjectReader(value, place, rules, after: faultsSoFar) { return reader }
        note([Fault.noObject(value, place)])
        return nil
    }
}

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
