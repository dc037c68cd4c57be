import Primitives

/// A fault at one place of a document.
package struct Fault: Equatable, Sendable {
    /// The contract's words for faults.
    package enum Code: String, Sendable, CaseIterable {
        case invalidJSON = "invalid-json"
        case unknownKey = "unknown-key"
        case wrongType = "wrong-type"
        case outOfRange = "out-of-range"
        case missing
        case tooLarge = "too-large"
        case controllerRefused = "controller-refused"
        case conflictingVersion = "conflicting-version"
    }

    package let pointer: JSONPointer
    package let code: Code
    /// One sentence, without a full stop, for the person who must put it right.
    package let message: String

    package init(_ pointer: JSONPointer, _ code: Code, _ message: String) {
        self.pointer = pointer
        self.code = code
        self.message = message
    }
}

/// All that is wrong with a document.
package struct Faults: Error, Equatable, Sendable {
    package let list: [Fault]

    package init(_ list: [Fault]) { self.list = list }
}

extension Fault {
    /// The fault in a line for people: what a file says can't break it.
    package func line(of path: String) -> String {
        let place = pointer.description
        guard !place.isEmpty else { return "\(path): \(message)" }
        let isPlain = place.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f } && place.utf8.count <= 200
        return "\(path): \(isPlain ? place : place.quotedForPeople): \(message)"
    }
}

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
