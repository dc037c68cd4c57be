import CommandLine
import Diagnosis
import ResultStore

/// `sightline-server doctor`: checks everything that the server needs, and changes nothing.
struct ServerDoctorCommand: ServerSubcommand {
    static let command = Command(
        name: "sightline-server doctor",
        summary: "finds the faults of this server and their remedies",
        options: [
            Option(
                "config", short: "c", value: "FILE",
                help: "the configuration; the default is \(SightlineServer.usualConfiguration)"),
            Option("json", help: "write JSON, one object per line"),
        ], manual: manual)

    private let path: String
    private let json: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        path = invocation["config"] ?? SightlineServer.usualConfiguration
        json = invocation.has("json")
    }

    func run(_ engines: StoreEngines) throws(SightlineServer.Exit) {
        var succeeds = true
        let doctor = ServerDoctor(path, engines) { check in
            if check.outcome == .wrong { succeeds = false }
            SightlineServer.print((json ? check.json.text : check.line) + "\n")
        }
        doctor.examine()
        guard succeeds else { throw .failed }
    }

    private static let manual = Manual(
        [
            "Checks everything that the server needs, in the order of repair, and writes a line for each check: ok, "
                + "warning (it works, but should be corrected), wrong with the remedy, or skipped. After a failure, "
                + "the checks that depend on it are skipped. Run it as root, so that it can check the server's files.",
            "It changes nothing. Beside a running server it asks that server for its connection and its gateways, and "
                + "does not log in at the broker: a broker that binds client identifiers to users would end the "
                + "server's connection. Otherwise it logs in under the server's identifier with the suffix "
                + "/doctor, and checks each topic that the server reads or writes. It checks write permissions with "
                + "messages of QoS 2 (MQTT 5), which it withdraws before their delivery.",
        ],
        exitCodes: [
            .init("0", "no failure; warnings are possible"),
            .init("1", "at least one check failed"),
            .init("2", "wrong usage"),
        ],
        files: [.init(SightlineServer.usualConfiguration, "the configuration of the service")],
        examples: [
            .init("sudo sightline-server doctor", "Check this server:"),
            .init(
                "sightline-server doctor --json | jq 'select(.outcome != \"ok\")'",
                "Show faults only:"),
        ], seeAlso: ["sightline-server(8)", "sightline-server.json(5)", "sightline-doctor(1)"])
}
