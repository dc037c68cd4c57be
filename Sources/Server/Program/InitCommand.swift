import CommandLine
import Contract
import Glibc
import JSON
import MQTT
import Posix
import Primitives
import ResultStore
import Session
import Subscriber
import Terminal

/// `sightline-server init`: asks the broker which gateways there are, and writes a first configuration.
struct InitCommand: ServerSubcommand {
    static let command = Command(
        name: "sightline-server init",
        summary: "writes a first configuration from the gateways that the broker knows",
        options: BrokerOptions.place + [
            Option(
                "config", short: "c", value: "FILE",
                help: "the file to write; the default is \(SightlineServer.usualConfiguration)"),
            Option("yes", help: "write the file without a question"),
        ] + BrokerOptions.credentials,
        manual: Manual(
            [
                "The broker and the credentials come from the options, else from profile.json beside the file, as "
                    + "sightline-provision writes it, else from a profile of the user. They go into the file.",
                "Reads the retained status of all gateways, and the beacons that they report to advertise "
                    + "themselves. Guesses their roles from their names, and shows all of it. After a confirmation "
                    + "it writes the file, where the gateways' beacons are no visitors' (beacons.gateway). The "
                    + "server's name (server.id) is that of the only site, else the host name: no two servers of a "
                    + "broker share it. It replaces only an empty file, such as that of the package.",
            ],
            exitCodes: [
                .init(
                    "0",
                    "the file is written; the last lines name the sites without an entry or a till, which you must "
                        + "complete"
                ),
                .init(
                    "1",
                    "nothing is written: the answer was no, the broker does not answer, or has no gateway"
                ),
                .init("2", "wrong usage, or the file exists and is not empty"),
            ],
            examples: [
                .init(
                    "sightline-server init --broker mqtt://localhost --config server.json",
                    "Write a configuration for a broker on this machine:")
            ], seeAlso: ["sightline-server(8)", "sightline-server.json(5)"]))

    private let invocation: Invocation
    private let options: BrokerOptions
    private let path: String

    init(_ invocation: Invocation) throws(UsageError) {
        self.invocation = invocation
        path = invocation["config"] ?? SightlineServer.usualConfiguration
        options = try BrokerOptions(invocation, profileIn: File.folder(of: path))
    }

    func run(_ engines: StoreEngines) throws(SightlineServer.Exit) {
        guard Self.isFree(path) else {
            throw SightlineServer.report(
                ["\(path) exists; move it away, or choose another --config"], .wrong)
        }
        let first = FirstConfiguration(try gateways())
        guard !first.isEmpty else {
            throw SightlineServer.report(
                ["\(options.broker) has no gateway below \(options.root); start one first"],
                .failed)
        }
        SightlineServer.print(first.lines.map { $0 + "\n" }.joined())
        let id = first.id(machine: Self.machineName)
        if let id { SightlineServer.print("server.id: \(id)\n") }
        guard invocation.has("yes") || isConfirmed() else {
            throw SightlineServer.report(
                ["nothing is written; --yes writes without a question"], .failed)
        }
        do throws(Errno) {
            try File.publish(Array(first.text(id: id, mqtt: mqtt).utf8), at: path)
        } catch {
            throw SightlineServer.report(
                ["\(path) can't be written: \(error); choose another --config"], .failed)
        }
        SightlineServer.print("\(path) is written\n")
        for lack in first.lacks {
            SightlineServer.print("\(lack): edit the file, then run 'sightline-server --check'\n")
        }
    }

    /// Whether there is no file yet, or an empty one, as the package has it.
    static func isFree(_ path: String) -> Bool { !File.exists(path) || File.size(path) == 0 }

    private func gateways() throws(SightlineServer.Exit) -> [DiscoveredGateway] {
        let settings: ConnectionSettings
        do throws(BrokerOptions.Unusable) {
            settings = try options.settings(maximumPayload: ReportedMessage.maxBytes)
        } catch {
            throw SightlineServer.report([error.message], .wrong)
        }
        var output = StandardOutput()
        var session = GatewayDiscovery(root: options.root)
        var loop = TerminalLoop(BrokerSession(.init(settings, filters: session.filters))) {
            _ = SightlineServer.report([$0], .failed)
        }
        guard loop.run(&session, to: &output) == .done else { throw .failed }
        return session.gateways
    }

    /// The host name (proc_sys_kernel(5)); empty if it can't be read.
    private static var machineName: String {
        let bytes = (try? File.contents(of: "/proc/sys/kernel/hostname", maxBytes: 256)) ?? []
        return String(decoding: bytes.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private func isConfirmed() -> Bool {
        SightlineServer.print("Write \(path)? [y/N] ")
        if let answer = readLine() { return answer.lowercased().hasPrefix("y") }
        // Without an answer, the cursor is still behind the question.
        SightlineServer.print("\n")
        return false
    }

    /// The section `mqtt`: the connection that found the gateways. The service has another working folder, so paths are absolute.
    private var mqtt: JSON {
        var members: [JSON.Member] = [
            .init("host", .string(options.broker.host)),
            .init("port", .integer(Int64(options.broker.port))),
        ]
        if options.root != Topics.usualRoot { members.append(.init("root", .string(options.root))) }
        if let name = options.username { members.append(.init("username", .string(name))) }
        members += files([("passwordFile", options.passwordFile)])
        guard let tls = options.tls else { return .object(members) }
        let certificates = files([
            ("caFile", tls.caFile), ("certFile", tls.client?.certFile),
            ("keyFile", tls.client?.keyFile),
        ])
        return .object(members + [.init("tls", .object(certificates))])
    }

    private func files(_ paths: [(key: String, path: String?)]) -> [JSON.Member] {
        paths.compactMap { key, path in
            path.map { JSON.Member(key, .string(File.absolute($0))) }
        }
    }
}
