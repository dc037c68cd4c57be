import Contract
import JSON
import Primitives

/// One wish for a layer's document: `advertise.major=42`.
///
/// `KEY=VALUE` is a merge patch (RFC 7396): objects are merged, and `null` takes the key out of the document, so that
/// wider layers decide. `KEY:=JSON` puts the value there as it is: `null` then stays in the document, where it undoes what
/// a wider layer sets.
struct Assignment: Equatable {
    /// The keys from the document down to the value; never empty.
    let path: [String]
    let value: JSON
    /// Written with `:=`.
    let isLiteral: Bool

    /// Why a text is none: one sentence, without a full stop.
    struct Invalid: Error, Equatable {
        let sentence: String
    }

    /// Documents have two levels of keys; further ones only have to end in a fault with a place.
    private static let deepest = 8

    init(parsing text: String) throws(Invalid) {
        guard let equals = text.firstIndex(of: "=") else {
            throw Invalid(
                sentence:
                    "“\(text.printable())” is no KEY=VALUE, such as advertise.major=42")
        }
        let left = text[..<equals]
        let isLiteral = left.hasSuffix(":")
        try self.init(
            key: String(isLiteral ? left.dropLast() : left),
            value: String(text[text.index(after: equals)...]), isLiteral: isLiteral)
    }

    /// - Parameter text: JSON; anything else is a string, unless JSON is demanded by `isLiteral` or by how it begins.
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

    /// The same with the value as it is, so that a `null` can still be seen in the document.
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
                    "“\(key.printable())” is no key; expected names with dots between them, such as"
                    + " advertise.major")
        }
        guard key != "version" else {
            throw Invalid(sentence: "version can't be set; it goes up by itself")
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
            // Who begins with a bracket or a quote means JSON; a string of it would hide the slip.
            let looksLikeJSON = text.first.map { "{[\"".contains($0) } ?? false
            guard mustBeJSON || looksLikeJSON || error.code == .tooLarge else {
                return .string(text)
            }
            throw Invalid(
                sentence: "the value of \(key.printable()) is no JSON: column \(error.column):"
                    + " \(error.sentence)")
        }
    }
}
