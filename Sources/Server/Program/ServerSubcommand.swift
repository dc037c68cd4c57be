import CommandLine

/// A subcommand of `sightline-server`.
protocol ServerSubcommand {
    static var command: Command { get }

    init(_ invocation: Invocation) throws(UsageError)

    func run() throws(SightlineServer.Exit)
}
