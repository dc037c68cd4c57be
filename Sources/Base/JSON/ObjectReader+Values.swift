extension ObjectReader {
    /// A Boolean, or `value` when it is absent.
    package mutating func bool(_ key: String, default value: Bool) -> Bool {
        optionalBool(key) ?? value
    }

    /// A Boolean, or `nil` when it is absent.
    package mutating func optionalBool(_ key: String) -> Bool? {
        guard let value = member(key) else { return nil }
        if value.kind == .bool { return value.bool }
        noteWrongType(key, "true or false", value)
        return nil
    }

    /// A required integer.
    @inlinable
    public mutating func integer<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>
    ) -> Number {
        required(key, optionalInteger(key, in: range)) ?? range.lowerBound
    }

    /// An integer, or `value` when it is absent.
    @inlinable
    public mutating func integer<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>, default value: Number
    ) -> Number {
        optionalInteger(key, in: range) ?? value
    }

    /// An integer, or `nil` when it is absent.
    @inlinable
    public mutating func optionalInteger<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>
    ) -> Number? {
        guard let bits = whole(key, in: WholeNumbers(range)) else { return nil }
        return Number(truncatingIfNeeded: bits)
    }

    /// The bits of a number in `range`, which are those of an `Int64` or of a larger `UInt64`.
    @usableFromInline
    mutating func whole(_ key: String, in range: WholeNumbers) -> Int64? {
        guard let value = member(key) else { return nil }
        switch value.kind {
        case .integer:
            if range.signed.contains(value.integer) { return value.integer }
            note(key, .outOfRange, "\(key) must be \(range), not \(value.integer)")
        case .number where value.number.rounded() == value.number:
            // JSON leaves open whether 1.0 and 1e2 are integers (RFC 8259); authors expect them to
            // be.
            if let bits = range.bits(of: value) { return bits }
            let found = value.unsigned.map { "\($0)" } ?? "\(value.number)"
            note(key, .outOfRange, "\(key) must be \(range), not \(found)")
        case .number:
            note(key, .wrongType, "\(key) must be a whole number, not \(value.number)")
        default: noteWrongType(key, "a whole number", value)
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
        guard let value = member(key) else { return nil }
        let number: Double
        switch value.kind {
        case .integer, .number: number = value.number
        default:
            noteWrongType(key, "a number", value)
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
        guard let value = member(key) else { return nil }
        guard value.kind == .array, value.count == 2, let first = value[0].unsigned,
            let end = value[1].unsigned
        else {
            noteWrongType(key, "two whole numbers", value)
            return nil
        }
        guard first <= end, end == last else {
            note(key, .outOfRange, "\(key) must end with \(last), and not begin behind it")
            return nil
        }
        return first...end
    }

    /// A required string.
    @usableFromInline
    package mutating func string(_ key: String) -> String {
        required(key, optionalString(key)) ?? ""
    }

    /// A string, or `value` when it is absent.
    package mutating func string(_ key: String, default value: String) -> String {
        optionalString(key) ?? value
    }

    /// A string, or `nil` when it is absent.
    @usableFromInline
    package mutating func optionalString(_ key: String) -> String? {
        guard let value = member(key) else { return nil }
        if value.kind == .string { return value.string }
        noteWrongType(key, "a string", value)
        return nil
    }

    /// Records that a member is missing, unless it is present with a fault, which is already
    /// recorded.
    @inlinable
    public mutating func required<Value>(_ key: String, _ value: Value?) -> Value? {
        if value == nil { noteMissing(key) }
        return value
    }

    /// Records that a member is missing, unless it is present.
    @usableFromInline
    package mutating func noteMissing(_ key: String) {
        if !has(key) { note(key, .missing, "\(key) is required") }
    }

    @usableFromInline
    mutating func noteWrongType(_ key: String, _ expected: String, _ value: JSONValue) {
        note(key, .wrongType, "\(key) must be \(expected), not \(value.kind)")
    }
}

/// The range of a whole number, of any type.
@usableFromInline
struct WholeNumbers: CustomStringConvertible {
    let signed: ClosedRange<Int64>
    /// The range's end, where it is more than an `Int64` holds.
    let larger: UInt64?

    @inlinable
    init<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) {
        self.init(
            from: Int64(clamping: range.lowerBound), to: Int64(clamping: range.upperBound),
            UInt64(clamping: range.upperBound))
    }

    @usableFromInline
    init(from first: Int64, to last: Int64, _ largest: UInt64) {
        signed = first...last
        larger = largest > UInt64(Int64.max) ? largest : nil
    }

    @usableFromInline var description: String {
        let most = larger.map { "\($0)" } ?? "\(signed.upperBound)"
        return "\(signed.lowerBound)" == most ? most : "\(signed.lowerBound)…\(most)"
    }

    /// - Parameter value: a whole number that is no `Int64` in the text.
    func bits(of value: JSONValue) -> Int64? {
        guard let number = value.unsigned else {
            return Int64(exactly: value.number).flatMap { signed.contains($0) ? $0 : nil }
        }
        if let integer = Int64(exactly: number) {
            return signed.contains(integer) ? integer : nil
        }
        guard let larger, number <= larger else { return nil }
        return Int64(bitPattern: number)
    }
}
