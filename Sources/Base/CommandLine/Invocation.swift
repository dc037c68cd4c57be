/// A request that the arguments of a program express.
package enum ParsedArguments: Equatable, Sendable {
    /// Show the help of a command.
    case help(Command)
    /// Show the version.
    case version
    case run(Invocation)
}

/// A command with its options and operands.
package struct Invocation: Equatable, Sendable {
    /// The command, or the subcommand that was chosen.
    package let command: Command
    package let operands: [String]
    private let values: [String: [String]]

    init(_ command: Command, values: [String: [String]], operands: [String]) {
        self.command = command
        self.values = values
        self.operands = operands
    }

    /// Whether the option was given.
    package func has(_ option: String) -> Bool { values[option] != nil }

    /// The option's value; `nil` when it was not given.
    package subscript(option: String) -> String? { values[option]?.last }

    /// The values of an option that may be repeated, in their order.
    package func all(_ option: String) -> [String] { values[option] ?? [] }
}

/// Why arguments can't be understood.
package struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One sentence that names the argument and the expected form, without a full stop.
    package let description: String
    /// Whether the help of the command explains the argument. A fault of a file or of the environment has another remedy.
    package let concernsHelp: Bool

    package init(_ description: String, concernsHelp: Bool = true) {
        self.description = description
        self.concernsHelp = concernsHelp
    }
}
