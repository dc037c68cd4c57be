extension ObjectReader {
    /// The decoded value of a required object; `nil` after a fault.
    package mutating func object<Value>(
        _ key: String, _ body: (inout ObjectReader) -> Value?
    ) -> Value? {
        required(key, optionalObject(key, body))
    }

    /// The decoded value of an object, or `nil` when it is absent.
    package mutating func optionalObject<Value>(
        _ key: String, _ body: (inout ObjectReader) -> Value?
    ) -> Value? {
        guard let json = member(key) else { return nil }
        return nested(json, called: key, at: pointer.appending(key), body)
    }

    /// The decoded objects of an array; empty when it is absent.
    package mutating func objects<Value>(
        _ key: String, atMost limit: Int, _ body: (inout ObjectReader) -> Value?
    ) -> [Value] {
        elements(key, atMost: limit) { reader, element, pointer in
            reader.nested(element, called: "an element of \(key)", at: pointer, body)
        }
    }

    /// The elements of an array; empty when it is absent. `body` receives each one with its place.
    mutating func elements<Value>(
        _ key: String, atMost limit: Int,
        _ body: (inout ObjectReader, JSON, JSONPointer) -> Value?
    ) -> [Value] {
        switch member(key) {
        case nil: return []
        case .array(let elements):
            guard elements.count <= limit else {
                note(
                    key, .tooLarge,
                    "\(key) must have at most \(limit) elements, not \(elements.count)")
                return []
            }
            let place = pointer.appending(key)
            return elements.enumerated().compactMap { index, element in
                body(&self, element, place.appending(index))
            }
        case .some(let json):
            noteWrongType(key, "an array", json)
            return []
        }
    }

    private mutating func nested<Value>(
        _ json: JSON, called name: String, at pointer: JSONPointer,
        _ body: (inout ObjectReader) -> Value?
    ) -> Value? {
        switch Self.read(json, called: name, at: pointer, rules, after: faultsSoFar, body) {
        case .success(let value): return value
        case .failure(let faults):
            note(faults)
            return nil
        }
    }
}
