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
