import JSON

extension JSON {
    /// A count, or whatever else is an `Int` here.
    package static func integer(_ number: Int) -> JSON { .integer(Int64(number)) }
}
