/// A shell's suggestions for a value.
package enum Completion: Equatable, Sendable {
    /// Nothing: it is a number, or a name that only its user knows.
    case nothing
    case file
    /// One of these, or something that begins so.
    case words([String])

    /// The lines that `PROGRAM completion WORD` prints when the shell asks.
    case names(String)

    /// The completion follows from the value's name.
    init(ofValue name: String?) {
        switch name {
        case "FILE", "PATH": self = .file
        case "SITE": self = .names("sites")
        case "GATEWAY": self = .names("ids")
        case "PROFILE": self = .names("profiles")
        default: self = .nothing
        }
    }
}
