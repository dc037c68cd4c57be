/// The place of a value in a document, as text (RFC 6901): `/mqtt/port`; empty for the document
/// itself.
@usableFromInline
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline package let description: String

    private init(_ text: String) { description = text }

    /// A pointer from a message. It is only for display, so any text is valid.
    package init(parsing text: String) { self.init(text) }

    /// The whole document.
    package static let root = JSONPointer("")

    /// Itself, or its beginning where it is longer than anybody reads: a key can be as long as a document.
    package var excerpt: JSONPointer {
        let scalars = description.unicodeScalars
        guard scalars.count > 200 else { return self }
        return JSONPointer(String(scalars.prefix(200)) + "…")
    }

    /// The member `key` of the object that this points to.
    package func appending(_ key: String) -> JSONPointer {
        var text = description + "/"
        for scalar in key.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return JSONPointer(text)
    }

    /// The element `index` of the array that this points to.
    package func appending(_ index: Int) -> JSONPointer { JSONPointer(description + "/\(index)") }
}
