import JSON

extension JSON {
    /// The same value with every whole number written as an integer: `7.0` and `0.7e1` are `7`, also to who compares them.
    var withWholeNumbersPlain: JSON {
        switch self {
        case .number(let number): Int64(exactly: number).map { .integer($0) } ?? self
        case .array(let elements): .array(elements.map(\.withWholeNumbersPlain))
        case .object(let members):
            .object(members.map { Member($0.key, $0.value.withWholeNumbersPlain) })
        case .null, .bool, .integer, .string: self
        }
    }
}
