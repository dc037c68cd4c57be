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
