import CommandLine
import Configuration
import Contract
import Glibc
import Logging
import Posix
import Radio
import Session
import Sightings

/// The program `sightlined`: arguments and configuration in, an exit code out.
package enum Daemon {
    /// The program's options.
    package static let command = Command(
        name: "sightlined",
        summary: "hears Bluetooth beacons and publishes sightings of them over MQTT",
        options: [
            Option(
                "config", short: "c", value: "FILE",
                help: "the configuration to read; may be left out with --output -"),
            Option(
                "radio", value: "SOURCE",
                help: "hci0, hci0:user, h4:unix:PATH, h4:tcp:HOST:PORT or replay:FILE[#hci1], "
                    + "in the place of the configuration's radio.source"),
            Option(
                "output", value: "-",
                help: "write each message on a line of standard output instead of MQTT",
                completion: .words(["-"])),
            Option(
                "check",
                help: "check the configuration, without the files it names, and do nothing else"),
        ], manual: manual)

    /// The exit code of a run.
    package enum Exit: CInt, Error, Sendable {
        case done = 0
        case failed = 1
        /// Wrong usage or configuration.
        case wrong = 2
        /// No step has recovered the radio within `radio.exitAfterMinutes`.
        case radioFault = 3
    }

    /// The parameters of a run.
    struct Run {
        let configuration: LocalConfiguration
        let isForStandardOutput: Bool
        let log: Log
        let session: Session
        /// The path of the configuration file; `nil` without one.
        let file: String?
        /// The bytes of that file.
        let document: [UInt8]
        /// The command line's radio source; `nil` for the file's.
        let source: String?

        /// Whether the source is a radio, not a capture.
        var isLive: Bool {
            if case .replay = configuration.source { false } else { true }
        }
    }

    /// Runs the program; `arguments` without its name.
    package static func main(_ arguments: some Sequence<String>) -> CInt {
        StandardDescriptors.fill()
        do throws(Exit) {
            if Array(arguments) == [uplinkArgument] { try runUplink() } else { try run(arguments) }
            return Exit.done.rawValue
        } catch {
            return error.rawValue
        }
    }

    private static func run(_ arguments: some Sequence<String>) throws(Exit) {
        let invocation: Invocation
        do throws(UsageError) {
            switch try command.parse(arguments) {
            case .help(let command): return print(command.helpText())
            case .version: return print("\(command.name) \(Version.full)\n")
            case .run(let parsed): invocation = parsed
            }
            if let output = invocation["output"], output != "-" {
                throw UsageError("--output takes - only, for standard output, not \(output)")
            }
        } catch {
            throw report([command.sentence(for: error, in: arguments)], .wrong)
        }
        let isForStandardOutput = invocation.has("output")
        let document = try invocation["config"].map { path throws(Exit) in try read(path) }
        let configuration = try load(
            document ?? [], invocation, requiresBroker: !isForStandardOutput)
        guard !invocation.has("check") else { return }
        let run = Run(
            configuration: configuration, isForStandardOutput: isForStandardOutput,
            log: Log(configuration.log), session: .begin(), file: invocation["config"],
            document: document ?? [], source: invocation["radio"])
        switch configuration.source {
        case .replay(let path): try replay(path, run)
        default: try live(run)
        }
    }

    private static func load(
        _ document: [UInt8], _ invocation: Invocation, requiresBroker: Bool
    ) throws(Exit) -> LocalConfiguration {
        guard let path = invocation["config"] else {
            // Standard output needs no gateway name.
            guard !requiresBroker else {
                throw report(["--config FILE is required, unless there is --output -"], .wrong)
            }
            return try use(invocation["radio"], in: LocalConfiguration(topics: .unnamed))
        }
        let configuration: LocalConfiguration
        do throws(ConfigurationError) {
            configuration = try LocalConfiguration(
                parsing: document, of: path, requiresBroker: requiresBroker)
        } catch {
            throw report(error.lines, .wrong)
        }
        return try use(invocation["radio"], in: configuration)
    }

    private static func read(_ path: String) throws(Exit) -> [UInt8] {
        do throws(ConfigurationError) { return try LocalConfiguration.read(path: path) } catch {
            throw report(error.lines, .wrong)
        }
    }

    /// The configuration with the command line's radio source, if there is one.
    static func use(
        _ source: String?, in configuration: LocalConfiguration
    ) throws(Exit) -> LocalConfiguration {
        guard let source else { return configuration }
        var configuration = configuration
        do throws(RadioSource.Invalid) {
            configuration.source = try RadioSource(parsing: source)
        } catch {
            throw report(["--radio \(error)"], .wrong)
        }
        return configuration
    }

    /// Writes faults to standard error, one a line, and returns the exit code.
    static func report(_ lines: [String], _ exit: Exit) -> Exit {
        let prefix = LogReader.ofStandardError == .journal ? "<\(Log.Level.error.rawValue)>" : ""
        let text = lines.map { "\(prefix)\(command.name): \($0)\n" }.joined()
        try? Descriptor.writeAll(Array(text.utf8), to: STDERR_FILENO)
        return exit
    }

    private static func print(_ text: String) {
        try? Descriptor.writeAll(Array(text.utf8), to: STDOUT_FILENO)
    }
}

extension Daemon.Run {
    /// Where the batches go.
    ///
    /// - Parameter manager: the service manager; `nil` without one.
    func destination(_ manager: ServiceManager? = nil) throws(Daemon.Exit) -> any Destination {
        if isForStandardOutput { return StandardOutputDestination(self) }
        return try UplinkProcess(self, manager: manager)
    }

    var windows: Windows.Settings {
        Windows.Settings(configuration.settings, maxIdentities: configuration.maxIdentities)
    }

    var batches: Batcher.Settings { Batcher.Settings(configuration.settings.report) }
}

extension Daemon.Run {
    /// - Throws: no broker is usable. The error is already written.
    func checkBrokers() throws(Daemon.Exit) {
        guard configuration.broker != nil else {
            throw Daemon.report(["mqtt is missing in the configuration"], .wrong)
        }
        var notes = BrokerList.Notes()
        let list = BrokerList(reading: configuration, &notes)
        if list.usable.isEmpty { throw Daemon.report(notes.passwordFaults, .wrong) }
    }

    /// The brokers in the order of attempts. Reads the password files.
    ///
    /// A broker whose password can't be read is logged and left out if there is another one.
    ///
    /// - Throws: wrong configuration. The error is already written.
    func brokers() throws(Daemon.Exit) -> (first: BrokerEndpoint, list: BrokerList) {
        var notes = BrokerList.Notes()
        let list = BrokerList(reading: configuration, &notes)
        for warning in notes.warnings { log.warning(warning) }
        guard let first = list.usable.first else {
            throw Daemon.report(notes.passwordFaults, .wrong)
        }
        for fault in notes.passwordFaults {
            log.error("broker not usable", ["reason": fault])
        }
        return (first, list)
    }
}
