import CommandLine
import Configuration
import Contract
import Glibc
import Logging
import Posix
import ResultStore
import ServerConfiguration

/// The program `sightline-server`: arguments and configuration in, an exit code out.
package enum SightlineServer {
    /// The program's options.
    package static let command = Command(
        name: "sightline-server",
        summary: "measures queues from the sightings of gateways, and shows them",
        options: [
            Option(
                "config", short: "c", value: "FILE",
                help: "the configuration; the default is \(usualConfiguration)"),
            Option(
                "page", value: "FOLDER",
                help: "the files of the page; the default is \(usualPage)"),
            Option(
                "truth", value: "FILE",
                help: "show what virtual-radio --truth writes beside the estimates"),
            Option(
                "check",
                help: "check the configuration with its files and folders, and do nothing else"
            ),
        ], subcommands: subcommands.map { $0.command }, needsSubcommand: false, manual: manual)

    private static var subcommands: [any ServerSubcommand.Type] {
        [InitCommand.self, ServerDoctorCommand.self, PrivacyCommand.self]
    }

    static let usualConfiguration = "/etc/sightline-server/sightline-server.json"
    static let keysName = "keys"
    static let usualPage = "/usr/share/sightline/page"

    /// The exit code of a run.
    enum Exit: CInt, Error {
        case done = 0
        case failed = 1
        /// Wrong usage or configuration.
        case wrong = 2
    }

    /// Runs the program.
    ///
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - engine: of the store.
    package static func main(
        _ arguments: some Sequence<String>, engine: any StoreEngine
    ) -> CInt {
        StandardDescriptors.fill()
        do throws(Exit) {
            try run(arguments, engine)
            return Exit.done.rawValue
        } catch {
            return error.rawValue
        }
    }

    private static func run(
        _ arguments: some Sequence<String>, _ engine: any StoreEngine
    ) throws(Exit) {
        let invocation: Invocation
        var subcommand: (any ServerSubcommand)?
        do throws(UsageError) {
            switch try command.parse(arguments) {
            case .help(let command): return print(command.helpText())
            case .version: return print("\(command.name) \(Version.full)\n")
            case .run(let parsed): invocation = parsed
            }
            if let type = subcommands.first(where: { $0.command == invocation.command }) {
                subcommand = try type.init(invocation)
            }
        } catch {
            throw report([command.sentence(for: error, in: arguments)], .wrong)
        }
        if let subcommand { return try subcommand.run(engine) }
        let path = invocation["config"] ?? usualConfiguration
        let configuration = try load(path)
        if invocation.has("check") {
            return try check(
                configuration, file: path, page: invocation["page"], truth: invocation["truth"])
        }
        let files: ServerFiles
        do throws(ConfigurationError) {
            files = try ServerFiles(configuration, of: path, needsCertificates: false)
        } catch {
            throw report(error.lines, .wrong)
        }
        try ServerRun(
            configuration, files, file: path, page: invocation["page"] ?? usualPage,
            truth: invocation["truth"], log: Log(configuration.log)
        ).run(engine)
    }

    static func load(_ path: String) throws(Exit) -> ServerConfiguration {
        do throws(ConfigurationError) {
            return try ServerConfiguration.load(path: path)
        } catch {
            throw report(error.lines, .wrong)
        }
    }

    /// Writes faults to standard error, one a line, and returns the exit code.
    static func report(_ lines: [String], _ exit: Exit) -> Exit {
        let prefix = LogReader.ofStandardError == .journal ? "<\(Log.Level.error.rawValue)>" : ""
        let text = lines.map { "\(prefix)\(command.name): \($0)\n" }.joined()
        try? Descriptor.writeAll(Array(text.utf8), to: STDERR_FILENO)
        return exit
    }

    static func print(_ text: String) {
        try? Descriptor.writeAll(Array(text.utf8), to: STDOUT_FILENO)
    }
}
