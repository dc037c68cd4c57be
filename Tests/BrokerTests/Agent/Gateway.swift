import Foundation
import TestSupport

/// A `sightlined` with its own files, and with the virtual radio and some fixed beacons.
final class Gateway {
    struct Options {
        /// Its identifier in its site.
        var id = "entry-1"
        var host = "127.0.0.1"
        var windowMs = 500
        var maxSilenceMs = 10_000
        var beacons = 3
        /// Further members of the section `mqtt`.
        var mqtt: [String: Any] = [:]
        var outbox: [String: Any] = [:]
        /// Sections that are added or replaced. By default the state directory is in the folder.
        var sections: [String: Any] = [:]
        /// The radio source; a virtual radio by default.
        var radio: String?
        /// Whether no file can grow (RLIMIT_FSIZE), as on a full disk.
        var isDiskFull = false
    }

    static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    /// The path of the agent, if it was built.
    static let program = BuiltProgram.find("sightlined")

    let folder: TemporaryFolder
    let process: ChildProcess
    /// The virtual radio, unless the options name a source.
    private let radio: RadioProgram?

    /// Starts the agent.
    ///
    /// - Parameters:
    ///   - folder: the folder of its files, and of the state of an earlier run; a new one by default.
    ///   - wrapper: a program that runs the agent, with its arguments.
    init(
        port: UInt16, _ options: Options = Options(), folder existing: TemporaryFolder? = nil,
        under wrapper: [String] = []
    ) throws {
        folder = try existing ?? TemporaryFolder()
        radio =
            options.radio == nil
            ? try RadioProgram(.init(id: options.id, family: "extended", beacons: options.beacons))
            : nil
        let source = options.radio ?? radio?.source ?? ""
        let configuration = try Self.configuration(port, options, in: folder)
        process = try Self.run(
            ["--config", configuration, "--radio", source], isDiskFull: options.isDiskFull,
            under: wrapper)
    }

    deinit { process.send(SIGKILL) }

    /// Runs the program with any arguments.
    static func run(
        _ arguments: [String], isDiskFull: Bool = false, under wrapper: [String] = []
    ) throws -> ChildProcess {
        guard let program else { throw TestFailure("sightlined was not built beside the tests") }
        if isDiskFull {
            // Without an ignored signal, a write beyond the limit would end the process
            // (setrlimit(2)).
            let script = #"trap "" XFSZ; ulimit -f 0; exec "$@""#
            return try ChildProcess("sh", ["-c", script, "sh", program] + arguments)
        }
        guard let first = wrapper.first else { return try ChildProcess(program, arguments) }
        return try ChildProcess(first, wrapper.dropFirst() + [program] + arguments)
    }

    /// Writes a scenario, and returns its path.
    static func scenario(
        _ beacons: Int, at id: String = "entry-1", in folder: TemporaryFolder
    ) throws -> String {
        try folder.write(
            """
            {"uuid": "\(uuid)",
             "gateways": [{"id": "\(id)", "x": 0, "y": 0}],
             "beacons": [{"major": 42, "minor": 1, "count": \(beacons), "x": 1, "y": 1}]}
            """, to: "scenario.json")
    }

    /// Writes a configuration, and returns its path.
    static func configuration(
        _ port: UInt16, _ options: Options = Options(), in folder: TemporaryFolder
    ) throws -> String {
        var mqtt = options.mqtt
        mqtt["host"] = options.host
        mqtt["port"] = Int(port)
        // The clock of a test machine is often not synchronised.
        let outbox = ["holdUnsyncedMs": 0].merging(options.outbox) { $1 }
        let usual: [String: Any] = [
            "gateway": ["site": "store-042", "id": options.id], "mqtt": mqtt,
            "report": ["windowMs": options.windowMs, "maxSilenceMs": options.maxSilenceMs],
            "outbox": outbox, "stateDirectory": folder.file("state"),
        ]
        let object = usual.merging(options.sections) { $1 }
        let data = try JSONSerialization.data(withJSONObject: object)
        return try folder.write(String(decoding: data, as: UTF8.self), to: "sightlined.json")
    }

    /// Writes another configuration, and waits until the agent has read it.
    func reload(
        _ port: UInt16, _ options: Options, until text: String = "configuration reloaded"
    ) throws {
        _ = try Self.configuration(port, options, in: folder)
        let lines = process.lines.count
        process.send(SIGHUP)
        guard process.waitForLine(from: lines, where: { $0.contains(text) }) != nil else {
            throw TestFailure("not “\(text)” in time: \(process.lines)")
        }
    }

    /// Writes a password file that only its owner can read, and returns its path.
    static func passwordFile(_ contents: String, in folder: TemporaryFolder) throws -> String {
        let path = try folder.write(contents, to: "password")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    /// The warnings and errors in its log, except that a busy machine did not let it run.
    var complaints: [String] {
        process.lines.filter {
            ($0.hasPrefix("<3>") || $0.hasPrefix("<4>"))
                && !$0.contains("radio process did not run")
        }
    }

    /// Waits for a line of its log.
    func waitForLog(_ text: String, within seconds: Double = Deadline.limit) throws {
        guard process.waitForLine(within: seconds, where: { $0.contains(text) }) != nil else {
            throw TestFailure("not “\(text)” in time: \(process.lines)")
        }
    }

    /// Whether the agent runs for the whole time.
    func staysAlive(for seconds: Double) -> Bool { process.waitForExit(within: seconds) == nil }

    /// Sends a signal, and waits for the end of the agent.
    func end(_ signal: CInt = SIGTERM, within seconds: Double = Deadline.limit) throws {
        process.send(signal)
        let status = process.waitForExit(within: seconds)
        guard status == 0 else {
            throw TestFailure("ended with \(status as Int32?): \(process.lines)")
        }
    }
}
