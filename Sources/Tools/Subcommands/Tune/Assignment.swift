import Contract
import JSON
import Primitives

/// A value for a key of a layer's document: `advertise.major=42`.
///
/// `KEY=VALUE` is a merge patch (RFC 7396): it merges objects, and `null` removes the key from the document, so that lower
/// layers apply. `KEY:=JSON` sets the value without merging: `null` then stays in the document, and removes the value of a
/// lower layer.
struct Assignment: Equatable {
    /// The keys from the document to the value; never empty.
    let path: [String]
    let value: JSON
    /// Written with `:=`.
    let isLiteral: Bool

    /// Why a text is no assignment: one sentence, without a full stop.
    struct Invalid: Error, Equatable {
        let sentence: String
    }

    /// Documents have two levels of keys. Some more are accepted here, so that the document's check reports the place.
    private static let deepest = 8

    init(parsing text: String) throws(Invalid) {
        guard let equals = text.firstIndex(of: "=") else {
            throw Invalid(
                sentence:
                    "“\(text.printable())” is not KEY=VALUE, such as advertise.major=42")
        }
        let left = text[..<equals]
        let isLiteral = left.hasSuffix(":")
        try self.init(
            key: String(isLiteral ? left.dropLast() : left),
            value: String(text[text.index(after: equals)...]), isLiteral: isLiteral)
    }

    /// - Parameter text: JSON or a string. It must be JSON if `isLiteral`, or if it starts like JSON.
    init(key: String, value text: String, isLiteral: Bool = false) throws(Invalid) {
        path = try Self.path(of: key)
        value = try Self.value(of: text, for: key, mustBeJSON: isLiteral)
        self.isLiteral = isLiteral
    }

    init(key: String, value: JSON) throws(Invalid) {
        path = try Self.path(of: key)
        self.value = value.withWholeNumbersPlain
        isLiteral = false
    }

    /// The same assignment, literally: a `null` stays in the document.
    var keepingNulls: Assignment { Assignment(path: path, value: value, isLiteral: true) }

    private init(path: [String], value: JSON, isLiteral: Bool) {
        self.path = path
        self.value = value
        self.isLiteral = isLiteral
    }

    private static func path(of key: String) throws(Invalid) -> [String] {
        let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard path.count <= deepest, path.allSatisfy({ !$0.isEmpty }) else {
            throw Invalid(
                sentence:
                    "“\(key.printable())” is not a key; expected names separated by dots, such as"
                    + " advertise.major")
        }
        guard key != "version" else {
            throw Invalid(sentence: "version can't be set; it increases automatically")
        }
        return path
    }

    private static func value(
        of text: String, for key: String, mustBeJSON: Bool
    ) throws(Invalid) -> JSON {
        do throws(JSONSyntaxError) {
            return try JSON(parsing: Array(text.utf8), maxBytes: LayerDocument.maxBytes)
                .withWholeNumbersPlain
        } catch {
            // A text that starts with a bracket or a quote is meant as JSON. A string would hide the mistake.
            let looksLikeJSON = text.first.map { "{[\"".contains($0) } ?? false
            guard mustBeJSON || looksLikeJSON || error.code == .tooLarge else {
                return .string(text)
            }
            throw Invalid(
                sentence: "the value of \(key.printable()) is not JSON: column \(error.column):"
                    + " \(error.sentence)")
        }
    }
}

extension JSON {
    /// The document after an assignment.
    func applying(_ assignment: Assignment) -> JSON {
        let path = assignment.path[...]
        if assignment.isLiteral { return setting(path, to: assignment.value) }
        if assignment.value == .null { return removing(path) }
        // From the innermost key outwards.
        let patch = path.reversed().reduce(assignment.value) { .object([.init($1, $0)]) }
        return merging(patch)
    }

    private func setting(_ path: ArraySlice<String>, to value: JSON) -> JSON {
        guard let key = path.first else { return value }
        let inner = (self[key] ?? .object([])).setting(path.dropFirst(), to: value)
        return replacing(key, by: inner)
    }

    /// Also removes sections that become empty: an empty `advertise` would switch advertising off.
    private func removing(_ path: ArraySlice<String>) -> JSON {
        guard let key = path.first, let inner = self[key] else { return self }
        guard path.count > 1 else { return without(key) }
        let rest = inner.removing(path.dropFirst())
        return rest == .object([]) && rest != inner ? without(key) : replacing(key, by: rest)
    }

    private func replacing(_ key: String, by value: JSON) -> JSON {
        guard case .object(var members) = self else { return .object([.init(key, value)]) }
        if let place = members.firstIndex(where: { $0.key.hasSameBytes(as: key) }) {
            members[place] = .init(key, value)
        } else {
            members.append(.init(key, value))
        }
        return .object(members)
    }
}

extension JSON {
    /// All faults of a document's sections, without its version.
    var faultsOfSections: [Fault] {
        do throws(Faults) {
            _ = try LayerDocument(LayerDocument(version: 1, patch: self).json)
            return []
        } catch {
            return error.list.map { $0.advised(in: self) }
        }
    }
}

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
