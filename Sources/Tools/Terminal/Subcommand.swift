import CommandLine

/// A subcommand: its command line, and its work.
package protocol Subcommand {
    static var command: Command { get }

    init(_ invocation: Invocation) throws(UsageError)

    /// Writes results to `output` and errors to standard error.
    func run(to output: inout StandardOutput) -> ExitCode
}
