import CommandLine

/// A subcommand: its command line, and its work.
package protocol Subcommand {
    static var command: Command { get }

    init(_ invocation: Invocation) throws(UsageError)

    /// Writes results to `output` and errors to standard error.
    func run(to output: inout StandardOutput) -> ExitCode
}

/// The exit status of the program.
package enum ExitCode: Int32, Sendable {
    case done = 0
    case failed = 1
    /// The command line, or a file that it names, is wrong.
    case wrongUse = 2
    /// A part is done, and the rest follows without another command.
    case partlyDone = 3
    /// The program found what it was asked to look for.
    case found = 4
}

extension ExitCode {
    /// The codes as man pages list them.
    package static let manual: [Manual.Entry] = [
        .init("0", "done"),
        .init("1", "failed: the reason is on standard error"),
        .init("2", "wrong use"),
    ]
}
