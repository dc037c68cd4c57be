/// A shell's suggestions for a value.
package enum Completion: Equatable, Sendable {
    /// Nothing: it is a number, or a name that only its user knows.
    case nothing
    case file
    /// One of these, or something that begins so.
    case words([String])

    /// The completion follows from the value's name: FILE and PATH are files.
    init(ofValue name: String?) {
        self = name == "FILE" || name == "PATH" ? .file : .nothing
    }
}
