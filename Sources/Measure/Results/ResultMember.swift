import JSON
import Primitives

/// One member of a result: what Sightline knows about it, and how its value is taken from the typed one.
package struct ResultMember<Source>: Sendable {
    package private(set) var part: ResultPart
    /// `nil` where it is not known, or absent.
    let value: @Sendable (Source) -> JSON?

    private init(
        _ name: String, _ type: ResultType, _ help: String?,
        value: @escaping @Sendable (Source) -> JSON?
    ) {
        part = ResultPart(name, type, help: help)
        self.value = value
    }

    package static func constant(_ name: String, _ value: JSON) -> Self {
        Self(name, .constant(value), nil) { _ in value }
    }

    /// A name of a site, a queue or a gateway.
    package static func name(
        _ name: String, value: @escaping @Sendable (Source) -> String
    ) -> Self {
        Self(name, .name, nil) { .string(value($0)) }
    }

    package static func text(
        _ name: String, _ help: String? = nil, value: @escaping @Sendable (Source) -> String?
    ) -> Self {
        Self(name, .text, help) { value($0).map { .string($0) } }
    }

    package static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ help: String? = nil, value: @escaping @Sendable (Source) -> Word?
    ) -> Self {
        .word(name, help, of: Word.allCases.map(\.rawValue)) { value($0)?.rawValue }
    }

    package static func word(
        _ name: String, _ help: String? = nil, of words: [String],
        value: @escaping @Sendable (Source) -> String?
    ) -> Self {
        Self(name, .words(words), help) { value($0).map { .string($0) } }
    }

    package static func flag(
        _ name: String, _ help: String? = nil, value: @escaping @Sendable (Source) -> Bool?
    ) -> Self {
        Self(name, .flag, help) { value($0).map { .bool($0) } }
    }

    package static func integer<Number: BinaryInteger & Sendable>(
        _ name: String, _ help: String? = nil, atLeast minimum: Int64? = 0,
        atMost maximum: Int64? = nil, value: @escaping @Sendable (Source) -> Number?
    ) -> Self {
        Self(name, .number(isWhole: true, minimum: minimum, maximum: maximum), help) {
            value($0).map { .integer(Int64(clamping: $0)) }
        }
    }

    /// - Parameter places: decimals.
    package static func number(
        _ name: String, _ help: String? = nil, places: Int, atLeast minimum: Int64? = 0,
        atMost maximum: Int64? = nil, value: @escaping @Sendable (Source) -> Double?
    ) -> Self {
        Self(name, .number(isWhole: false, minimum: minimum, maximum: maximum), help) {
            value($0).map { .rounded($0, places: places) }
        }
    }

    package static func milliseconds(
        _ name: String, _ help: String? = nil, atLeast minimum: Int64? = 0,
        value: @escaping @Sendable (Source) -> Duration?
    ) -> Self {
        var member = Self(name, .number(isWhole: true, minimum: minimum), help) {
            value($0).map { .milliseconds($0) }
        }
        member.part.unit = .milliseconds
        return member
    }

    /// Seconds of an equation, in whole milliseconds.
    package static func seconds(
        _ name: String, _ help: String? = nil, value: @escaping @Sendable (Source) -> Double?
    ) -> Self {
        .milliseconds(name, help) { value($0).map { .milliseconds(Int64(($0 * 1000).rounded())) } }
    }

    /// Milliseconds since the epoch.
    package static func time(
        _ name: String, _ help: String? = nil, atLeast minimum: Int64? = nil,
        value: @escaping @Sendable (Source) -> UnixTime?
    ) -> Self {
        var member = Self(name, .number(isWhole: true, minimum: minimum), help) {
            value($0).map { .integer($0.milliseconds) }
        }
        member.part.unit = .time
        return member
    }

    package static func object<Inner>(
        _ name: String, _ help: String? = nil, of members: [ResultMember<Inner>],
        value: @escaping @Sendable (Source) -> Inner?
    ) -> Self {
        Self(name, .object(members.map(\.part)), help) { value($0).map(members.json) }
    }

    package static func list<Inner>(
        _ name: String, _ help: String? = nil, of members: [ResultMember<Inner>],
        value: @escaping @Sendable (Source) -> [Inner]
    ) -> Self {
        Self(name, .list(.object(members.map(\.part))), help) {
            .array(value($0).map(members.json))
        }
    }

    /// A member of another form.
    package static func json(
        _ name: String, _ help: String? = nil, as type: ResultType,
        value: @escaping @Sendable (Source) -> JSON?
    ) -> Self {
        Self(name, type, help, value: value)
    }
}

/// Where a member appears, and what its values may be.
extension ResultMember {
    package var nullable: Self { with { $0.isNullable = true } }
    package var optional: Self { with { $0.isOptional = true } }
    package var stamp: Self { with { $0.isStamp = true } }
    package var check: Self { with { $0.isCheck = true } }
    package func listed(at position: Int) -> Self { with { $0.position = position } }
    package var percent: Self { with { $0.unit = .percent } }

    /// - Parameter type: the form in the schema.
    package func published(as type: ResultType) -> Self { with { $0.published = type } }

    /// - Parameters:
    ///   - word: the metric is whether the value is this word.
    ///   - place: metrics of a later place stand behind the others.
    package func metric(
        _ name: String, _ help: String, word: String? = nil, place: Int = 0
    ) -> Self {
        with { $0.metrics.append(.init(name: name, help: help, word: word, place: place)) }
    }

    package func entity(_ key: String, _ name: String, normal: String? = nil) -> Self {
        entity(key, name, normal.map { .fault(normal: $0) } ?? .number)
    }

    package func entity(_ key: String, _ name: String, _ form: ResultPart.Entity.Form) -> Self {
        with { $0.entities.append(.init(key: key, name: name, form: form)) }
    }

    /// - Parameters:
    ///   - short: the title in `sightline queue` and other commands.
    ///   - none: the text where there is no value.
    package func column(
        _ title: String, _ short: String? = nil, low: String? = nil, high: String? = nil,
        whole: String? = nil, end: String? = nil, none: String = "unknown", place: Int = 0
    ) -> Self {
        with {
            $0.column = .init(
                title: title, short: short, low: low, high: high, whole: whole, end: end,
                none: none, place: place)
        }
    }

    /// - Parameter group: columns of later groups stand behind the others.
    package func history(_ group: Int = 0) -> Self { with { $0.history = group } }

    private func with(_ change: (inout ResultPart) -> Void) -> Self {
        var copy = self
        change(&copy.part)
        return copy
    }
}

extension Array {
    /// The object of a typed value.
    package func json<Source>(of source: Source) -> JSON where Element == ResultMember<Source> {
        json(of: source) { _ in true }
    }

    func json<Source>(
        of source: Source, where isWritten: (ResultPart) -> Bool
    ) -> JSON where Element == ResultMember<Source> {
        .object(
            compactMap { member in
                guard isWritten(member.part) else { return nil }
                let value = member.value(source)
                guard value != nil || member.part.isNullable || !member.part.isOptional else {
                    return nil
                }
                return JSON.Member(member.part.name, value ?? .null)
            })
    }

    /// The same members in the history's table.
    package func history<Source>(_ group: Int = 0) -> Self where Element == ResultMember<Source> {
        map { $0.part.history == nil ? $0.history(group) : $0 }
    }
}

extension JSON {
    package static func milliseconds(_ duration: Duration?) -> JSON {
        duration.map { .integer($0.milliseconds) } ?? .null
    }

    package static func rounded(_ number: Double?, places: Int) -> JSON {
        guard let number else { return .null }
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        return .number((number * scale).rounded() / scale)
    }
}
