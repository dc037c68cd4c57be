extension ObjectReader {
    /// The parsed value of a required string; `nil` after a fault.
    ///
    /// `parse` returns `nil` for a string that is not as `expected`. Messages contain `expected`:
    /// `a UUID`, `1 to 64 of A-Z a-z 0-9 . _ -`.
    package mutating func parsed<Value>(
        _ key: String, expecting expected: String, _ parse: (String) -> Value?
    ) -> Value? {
        required(key, optionalParsed(key, expecting: expected, parse))
    }

    /// The parsed value of a string, or `nil` when it is absent.
    package mutating func optionalParsed<Value>(
        _ key: String, expecting expected: String, _ parse: (String) -> Value?
    ) -> Value? {
        guard let string = optionalString(key) else { return nil }
        if let value = parse(string) { return value }
        note(key, .outOfRange, "\(key) must be \(expected), not \(string.quotedForPeople)")
        return nil
    }

    /// One of a few words, or `value` when it is absent.
    package mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ key: String, default value: Value
    ) -> Value where Value.RawValue == String {
        optionalChoice(key) ?? value
    }

    /// One of a few words, required; `nil` after a fault.
    package mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ key: String, of type: Value.Type = Value.self
    ) -> Value? where Value.RawValue == String {
        required(key, optionalChoice(key))
    }

    /// One of a few words, or `nil` when it is absent.
    package mutating func optionalChoice<Value: RawRepresentable & CaseIterable>(
        _ key: String
    ) -> Value? where Value.RawValue == String {
        let words = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        switch member(key) {
        case nil, .string:
            return optionalParsed(key, expecting: "one of \(words)") { string in
                Value.allCases.first { $0.rawValue.hasSameBytes(as: string) }
            }
        case .some(let json):
            // Also of something that would be right if only it were in quotes.
            noteWrongType(key, "one of \(words), in quotes", json)
            return nil
        }
    }

    /// The strings of an array, each of them parsed; none when it is absent.
    package mutating func parsedArray<Value>(
        _ key: String, atMost limit: Int, expecting expected: String, _ parse: (String) -> Value?
    ) -> [Value] {
        elements(key, atMost: limit) { reader, element, pointer in
            guard case .string(let string) = element else {
                let message = "an element of \(key) must be a string, not \(element.kind)"
                reader.note(Faults([Fault(pointer, .wrongType, message)]))
                return nil
            }
            if let value = parse(string) { return value }
            let message =
                "an element of \(key) must be \(expected), not \(string.quotedForPeople)"
            reader.note(Faults([Fault(pointer, .outOfRange, message)]))
            return nil
        }
    }

    /// The numbers of an array, whole or not; none when it is absent.
    package mutating func numbers(
        _ key: String, atMost limit: Int, in range: ClosedRange<Double>
    ) -> [Double] {
        elements(key, atMost: limit) { reader, element, pointer in
            let number: Double
            switch element {
            case .integer(let integer): number = Double(integer)
            case .number(let double): number = double
            default:
                let message = "an element of \(key) must be a number, not \(element.kind)"
                reader.note(Faults([Fault(pointer, .wrongType, message)]))
                return nil
            }
            if range.contains(number) { return number }
            let limits = "\(range.lowerBound)…\(range.upperBound)"
            let message = "an element of \(key) must be \(limits), not \(number)"
            reader.note(Faults([Fault(pointer, .outOfRange, message)]))
            return nil
        }
    }

    /// The whole numbers of an array; none when it is absent.
    package mutating func integers<Number: FixedWidthInteger>(
        _ key: String, atMost limit: Int, in range: ClosedRange<Number>
    ) -> [Number] {
        elements(key, atMost: limit) { reader, element, pointer in
            guard case .integer(let wide) = element else {
                let message = "an element of \(key) must be a whole number, not \(element.kind)"
                reader.note(Faults([Fault(pointer, .wrongType, message)]))
                return nil
            }
            if let number = Number(exactly: wide), range.contains(number) { return number }
            let limits = "\(range.lowerBound)…\(range.upperBound)"
            let message = "an element of \(key) must be \(limits), not \(wide)"
            reader.note(Faults([Fault(pointer, .outOfRange, message)]))
            return nil
        }
    }
}
