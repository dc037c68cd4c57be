extension ObjectReader {
    /// The parsed value of a required string; `nil` after a fault.
    ///
    /// `parse` returns `nil` for a string that is not as `expected`. Messages contain `expected`:
    /// `a UUID`, `1 to 64 of A-Z a-z 0-9 . _ -`.
    @inlinable
    public mutating func parsed<Value>(
        _ key: String, expecting expected: String, _ parse: (String) -> Value?
    ) -> Value? {
        required(key, optionalParsed(key, expecting: expected, parse))
    }

    /// The parsed value of a string, or `nil` when it is absent.
    @inlinable
    public mutating func optionalParsed<Value>(
        _ key: String, expecting expected: String, _ parse: (String) -> Value?
    ) -> Value? {
        guard let string = optionalString(key) else { return nil }
        if let value = parse(string) { return value }
        noteUnexpected(key, string, expected)
        return nil
    }

    /// The parsed value of a required string; `parse` gets its UTF-8 in the document, without a copy.
    @inlinable
    public mutating func parsed<Value>(
        utf8 key: String, expecting expected: String,
        _ parse: (UnsafeBufferPointer<UInt8>) -> Value?
    ) -> Value? {
        guard let value = member(key), value.kind == .string else {
            _ = string(key)
            return nil
        }
        if let parsed = value.withCharacters(parse) { return parsed }
        noteUnexpected(key, value.string, expected)
        return nil
    }

    @usableFromInline
    mutating func noteUnexpected(_ key: String, _ string: String, _ expected: String) {
        note(key, .outOfRange, "\(key) must be \(expected), not \(string.quotedForPeople)")
    }

    /// One of a few words, or `value` when it is absent.
    @inlinable
    public mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ key: String, default value: Value
    ) -> Value where Value.RawValue == String {
        optionalChoice(key) ?? value
    }

    /// One of a few words, required; `nil` after a fault.
    @inlinable
    public mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ key: String, of type: Value.Type = Value.self
    ) -> Value? where Value.RawValue == String {
        required(key, optionalChoice(key))
    }

    /// One of a few words, or `nil` when it is absent.
    @inlinable
    public mutating func optionalChoice<Value: RawRepresentable & CaseIterable>(
        _ key: String
    ) -> Value? where Value.RawValue == String {
        guard let value = member(key) else { return nil }
        guard value.kind == .string else {
            // Also of something that would be right if only it were in quotes.
            noteWrongType(key, Value.words + ", in quotes", value)
            return nil
        }
        if let word = Value.allCases.first(where: { value.isString($0.rawValue) }) { return word }
        noteUnexpected(key, value.string, Value.words)
        return nil
    }

    /// The strings of an array, each of them parsed; none when it is absent.
    package mutating func parsedArray<Value>(
        _ key: String, atMost limit: Int, expecting expected: String, _ parse: (String) -> Value?
    ) -> [Value] {
        elements(key, atMost: limit) { reader, element, place in
            guard element.kind == .string else {
                reader.noteElement(of: key, .wrongType, place, "a string", "\(element.kind)")
                return nil
            }
            let string = element.string
            if let value = parse(string) { return value }
            reader.noteElement(of: key, .outOfRange, place, expected, string.quotedForPeople)
            return nil
        }
    }

    /// The numbers of an array, whole or not; none when it is absent.
    package mutating func numbers(
        _ key: String, atMost limit: Int, in range: ClosedRange<Double>
    ) -> [Double] {
        elements(key, atMost: limit) { reader, element, place in
            let number: Double
            switch element.kind {
            case .integer, .number: number = element.number
            default:
                reader.noteElement(of: key, .wrongType, place, "a number", "\(element.kind)")
                return nil
            }
            if range.contains(number) { return number }
            let limits = "\(range.lowerBound)…\(range.upperBound)"
            reader.noteElement(of: key, .outOfRange, place, limits, "\(number)")
            return nil
        }
    }

    /// The whole numbers of an array; none when it is absent.
    package mutating func integers<Number: FixedWidthInteger>(
        _ key: String, atMost limit: Int, in range: ClosedRange<Number>
    ) -> [Number] {
        elements(key, atMost: limit) { reader, element, place in
            guard element.kind == .integer else {
                let kind = "\(element.kind)"
                reader.noteElement(of: key, .wrongType, place, "a whole number", kind)
                return nil
            }
            let wide = element.integer
            if let number = Number(exactly: wide), range.contains(number) { return number }
            let limits = "\(range.lowerBound)…\(range.upperBound)"
            reader.noteElement(of: key, .outOfRange, place, limits, "\(wide)")
            return nil
        }
    }

    private mutating func noteElement(
        of key: String, _ code: Fault.Code, _ place: Place, _ expected: String,
        _ found: String
    ) {
        let message = "an element of \(key) must be \(expected), not \(found)"
        note([Fault(place.pointer, code, message)])
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    @usableFromInline static var words: String {
        "one of " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    }
}
