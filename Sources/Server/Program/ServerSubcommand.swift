import CommandLine
import ResultStore

/// A subcommand of `sightline-server`.
protocol ServerSubcommand {
    static var command: Command { get }

    init(_ invocation: Invocation) throws(UsageError)

    /// - Parameter engine: of the store.
    func run(_ engine: any StoreEngine) throws(SightlineServer.Exit)
}
