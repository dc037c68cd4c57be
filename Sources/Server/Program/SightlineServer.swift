import CommandLine
import Configuration
import Contract
import Diagnosis
import Glibc
import Logging
import MQTT
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
    ///   - engines: of the store.
    package static func main(
        _ arguments: some Sequence<String>, engines: StoreEngines
    ) -> CInt {
        StandardDescriptors.fill()
        if Array(arguments) == [ConnectionProcess.argument] {
            return (ConnectionProcess.run() ? Exit.done : .failed).rawValue
        }
        do throws(Exit) {
            try run(arguments, engines)
            return Exit.done.rawValue
        } catch {
            return error.rawValue
        }
    }

    private static func run(
        _ arguments: some Sequence<String>, _ engines: StoreEngines
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
        if let subcommand { return try subcommand.run(engines) }
        let path = invocation["config"] ?? usualConfiguration
        let configuration = try load(path)
        if invocation.has("check") {
            return try check(
                configuration, engines, file: path, page: invocation["page"],
                truth: invocation["truth"])
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
        ).run(try engine(of: configuration, engines, file: path))
    }

    /// The engine of a configuration's store.
    static func engine(
        of configuration: ServerConfiguration, _ engines: StoreEngines, file: String
    ) throws(Exit) -> any StoreEngine {
        let engine = engines.engine(configuration.store?.postgres)
        if let fault = engine.fault { throw report([storeFault(fault, file: file)], .wrong) }
        return engine
    }

    static func storeFault(_ fault: String, file: String) -> String {
        "\(file): /store/postgres: \(fault)"
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

extension SightlineServer {
    /// Checks what a start needs beside a valid configuration, and reports all faults. `doctor` checks the rights of the server's
    /// user.
    static func check(
        _ configuration: ServerConfiguration, _ engines: StoreEngines, file: String,
        page: String?, truth: String?
    ) throws(Exit) {
        var faults: [String] = []
        do throws(ConfigurationError) {
            _ = try ServerFiles(configuration, of: file, needsCertificates: true)
        } catch {
            faults += error.lines
        }
        let folder = stateDirectory(configuration, of: file)
        if let reason = folder.flatMap({ StateFolder($0, of: .own, wanted: 0).impossibility }) {
            faults.append("\(file): /stateDirectory: \(reason)")
        } else if folder == nil {
            faults.append(noStateDirectory(file))
        }
        if let fault = engines.engine(configuration.store?.postgres).fault {
            faults.append(storeFault(fault, file: file))
        }
        if let fault = configuration.http.listen.fault {
            faults.append("\(file): /http/listen: \(fault)")
        }
        if let page, !PageRoutes.isPage(page) {
            faults.append("--page \(page): no folder with \(PageRoutes.indexName)")
        }
        do throws(Errno) { _ = try truth.map(TruthSource.init) } catch {
            faults.append(truthFault(truth, error))
        }
        guard faults.isEmpty else { throw report(faults, .wrong) }
    }

    /// The truth of `--truth`; `nil` without the option.
    static func truthSource(_ path: String?) throws(Exit) -> TruthSource? {
        do throws(Errno) { return try path.map(TruthSource.init) } catch {
            throw report([truthFault(path, error)], .wrong)
        }
    }

    private static func truthFault(_ path: String?, _ error: Errno) -> String {
        "--truth \(path ?? ""): can't be read: \(error)"
    }
}

extension SightlineServer {
    /// The text of sightline-server(8) beyond `--help`.
    static let manual = Manual(
        [
            "The server of a store. It reads the sightings of gateways from an MQTT broker and measures the queues "
                + "of its configuration: who is in line, how long people wait, and how long a person who joins now "
                + "will wait. Lengths, waits, forecasts and the throughput have an interval. A queue whose gateways "
                + "do not hear is unknown, and never 0.",
            "The server publishes results on MQTT, and shows them on a page in the browser, by an API, and as metrics "
                + "for Prometheus. http.listen in the configuration is the address of the page.",
            "The server acknowledges a message after it has stored it. After a kill, it reads the day from the store "
                + "and computes the same results again. If the disk fails, it continues in memory and reports it. "
                + "While a database does not answer (store.postgres), the broker keeps the messages.",
            "A day ends at 04:00, and is closed a minute later. The key that makes pseudonyms of beacons is then "
                + "destroyed. Visits and evidence end after 24 hours, once their day is closed. A server that was "
                + "away then closes the day when it has taken what the broker has kept of it.",
            "SIGHUP reads the configuration again, with its password, certificates and tokens. Sites with a new "
                + "layout fold their day again, and the others keep their state. Another broker, password or "
                + "certificate makes a new connection. Streams end if tokens have changed, and their clients connect "
                + "again. After a fault in any file, everything stays unchanged. SIGTERM and SIGINT end the server.",
            "Without systemd's folder, the state is in sightline-server in $XDG_STATE_HOME.",
        ],
        exitCodes: [
            .init("0", "ended by a signal"), .init("1", "failure, such as an address in use"),
            .init("2", "wrong usage or configuration"),
        ],
        environment: [
            .init("STATE_DIRECTORY", "the folder of the store, from systemd"),
            .init("XDG_STATE_HOME", "the folder with the store's folder, without STATE_DIRECTORY"),
            .init("RUNTIME_DIRECTORY", "the folder for what the disk does not take, from systemd"),
            .init("XDG_RUNTIME_DIR", "the folder with that folder, without RUNTIME_DIRECTORY"),
            .init("TZ", "the time zone of the store's days"),
            .init("PGSERVICEFILE, PGPASSFILE", "libpq's service file and password file"),
        ],
        files: [
            .init(
                "/etc/sightline-server/sightline-server.json",
                "the configuration; see sightline-server.json(5)"),
            .init("/var/lib/sightline-server", "the store and the key of the day"),
            .init("/run/sightline-server", "messages and keys while the disk does not take them"),
        ],
        examples: [
            .init("sightline-server init --config server.json", "Write a first configuration:"),
            .init("sightline-server --config server.json --check", "Check a configuration:"),
        ],
        seeAlso: [
            "sightline-server.json(5)", "sightline(1)", "sightline-queue(1)", "sightlined(8)",
        ])
}

/// A subcommand of `sightline-server`.
protocol ServerSubcommand {
    static var command: Command { get }

    init(_ invocation: Invocation) throws(UsageError)

    /// - Parameter engines: of the store.
    func run(_ engines: StoreEngines) throws(SightlineServer.Exit)
}
