import Foundation
import TestSupport

/// The virtual radio as a program, on a socket.
final class RadioProgram {
    struct Options {
        /// The scenario's gateway.
        var id = "entry-1"
        var family = "legacy"
        var beacons = 3
        var faults: [String] = []
        /// Whether it continues to advertise without the agent, as an adapter does.
        var keepsPower = false
    }

    let folder: TemporaryFolder
    private(set) var process: ChildProcess
    private let arguments: [String]

    init(_ options: Options = Options()) throws {
        folder = try TemporaryFolder()
        arguments =
            [
                "--scenario", try Gateway.scenario(options.beacons, at: options.id, in: folder),
                "--gateway", options.id, "--family", options.family,
                "--listen", "unix:" + folder.file("hci"),
            ] + (options.keepsPower ? ["--keep-power"] : [])
            + options.faults.flatMap { ["--fault", $0] }
        process = try Self.start(arguments)
    }

    convenience init(faults: [String]) throws {
        var options = Options()
        options.faults = faults
        try self.init(options)
    }

    deinit { process.send(SIGKILL) }

    /// The path of its socket.
    var path: String { folder.file("hci") }

    var source: String { "h4:unix:" + path }

    /// The identities on the air since the start, one for each change; `nil` stands for an empty
    /// air.
    var air: [ShownIdentity?] { Self.air(in: process.lines) }

    func kill() {
        process.send(SIGKILL)
        process.waitForExit()
    }

    func restart() throws { process = try Self.start(arguments) }

    /// Waits until the identities on the air, from the change with index `start` on, satisfy a
    /// condition.
    func waitForAir(
        within seconds: Double = Deadline.limit, from start: Int = 0,
        until satisfied: ([ShownIdentity?]) -> Bool
    ) throws {
        let isSatisfied = process.waitForLines(within: seconds) {
            satisfied(Array(Self.air(in: $0).dropFirst(start)))
        }
        guard isSatisfied else { throw TestFailure("not on the air in time: \(process.lines)") }
    }

    private static func air(in lines: [String]) -> [ShownIdentity?] {
        lines.compactMap { line -> ShownIdentity?? in
            guard line.hasPrefix("{"),
                let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)),
                let all = (object as? [String: Any])?["onAir"] as? [[String: Any]]
            else { return nil }
            return .some(all.first.flatMap { ShownIdentity($0) })
        }
    }

    private static func start(_ arguments: [String]) throws -> ChildProcess {
        guard let program = BuiltProgram.find("virtual-radio") else {
            throw TestFailure("virtual-radio was not built beside the tests")
        }
        let process = try ChildProcess(program, arguments)
        guard process.waitForLine(where: { $0.hasPrefix("listening on") }) != nil else {
            throw TestFailure("virtual-radio: \(process.lines)")
        }
        return process
    }
}
