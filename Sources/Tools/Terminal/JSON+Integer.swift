import JSON

extension JSON {
    package static func integer(_ number: Int) -> JSON { .integer(Int64(number)) }
}
