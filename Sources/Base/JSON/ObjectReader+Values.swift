extension ObjectReader {
    /// A Boolean, or `value` when it is absent.
    package mutating func bool(_ key: String, default value: Bool) -> Bool {
        optionalBool(key) ?? value
    }

    /// A Boolean, or `nil` when it is absent.
    package mutating func optionalBool(_ key: String) -> Bool? {
        switch member(key) {
        case nil: return nil
        case .bool(let bool): return bool
        case .some(let json):
            noteWrongType(key, "true or false", json)
            return nil
        }
    }

    /// A required integer.
    package mutating func integer<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>
    ) -> Number {
        required(key, optionalInteger(key, in: range)) ?? range.lowerBound
    }

    /// An integer, or `value` when it is absent.
    package mutating func integer<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>, default value: Number
    ) -> Number {
        optionalInteger(key, in: range) ?? value
    }

    /// An integer, or `nil` when it is absent.
    package mutating func optionalInteger<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>
    ) -> Number? {
        let limits = "\(range.lowerBound)…\(range.upperBound)"
        switch member(key) {
        case nil: return nil
        case .integer(let wide):
            if let number = Number(exactly: wide), range.contains(number) { return number }
            note(key, .outOfRange, "\(key) must be \(limits), not \(wide)")
        case .number(let number) where number.rounded() == number:
            // JSON leaves open whether 1.0 and 1e2 are integers (RFC 8259); authors expect them to
            // be.
            if let number = Number(exactly: number), range.contains(number) { return number }
            note(key, .outOfRange, "\(key) must be \(limits), not \(number)")
        case .number(let number):
            note(key, .wrongType, "\(key) must be a whole number, not \(number)")
        case .some(let json): noteWrongType(key, "a whole number", json)
        }
        return nil
    }

    /// A required number, whole or not.
    package mutating func number(_ key: String, in range: ClosedRange<Double>) -> Double {
        required(key, optionalNumber(key, in: range)) ?? range.lowerBound
    }

    /// A number, or `value` when it is absent.
    package mutating func number(
        _ key: String, in range: ClosedRange<Double>, default value: Double
    ) -> Double {
        optionalNumber(key, in: range) ?? value
    }

    /// A number, or `nil` when it is absent.
    package mutating func optionalNumber(
        _ key: String, in range: ClosedRange<Double>
    ) -> Double? {
        let number: Double
        switch member(key) {
        case nil: return nil
        case .integer(let integer): number = Double(integer)
        case .number(let double): number = double
        case .some(let json):
            noteWrongType(key, "a number", json)
            return nil
        }
        if range.contains(number) { return number }
        note(
            key, .outOfRange,
            "\(key) must be \(range.lowerBound)…\(range.upperBound), not \(number)")
        return nil
    }

    /// An array of two integers, the first and the last of a range that ends with `last`; `nil` when it is absent.
    package mutating func range(_ key: String, upTo last: UInt64) -> ClosedRange<UInt64>? {
        guard let json = member(key) else { return nil }
        guard case .array(let elements) = json, elements.count == 2,
            let first = elements[0].asUInt64, let end = elements[1].asUInt64
        else {
            noteWrongType(key, "two whole numbers", json)
            return nil
        }
        guard first <= end, end == last else {
            note(key, .outOfRange, "\(key) must end with \(last), and not begin behind it")
            return nil
        }
        return first...end
    }

    /// A required string.
    package mutating func string(_ key: String) -> String {
        required(key, optionalString(key)) ?? ""
    }

    /// A string, or `value` when it is absent.
    package mutating func string(_ key: String, default value: String) -> String {
        optionalString(key) ?? value
    }

    /// A string, or `nil` when it is absent.
    package mutating func optionalString(_ key: String) -> String? {
        switch member(key) {
        case nil: return nil
        case .string(let string): return string
        case .some(let json):
            noteWrongType(key, "a string", json)
            return nil
        }
    }

    /// Records that a member is missing, unless it is present with a fault, which is already
    /// recorded.
    package mutating func required<Value>(_ key: String, _ value: Value?) -> Value? {
        if value == nil, !has(key) { note(key, .missing, "\(key) is required") }
        return value
    }

    mutating func noteWrongType(_ key: String, _ expected: String, _ json: JSON) {
        note(key, .wrongType, "\(key) must be \(expected), not \(json.kind)")
    }
}

extension JSON {
    fileprivate var asUInt64: UInt64? {
        switch self {
        case .integer(let number): UInt64(exactly: number)
        case .number(let number): UInt64(exactly: number)
        default: nil
        }
    }
}
