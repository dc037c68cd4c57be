import CommandLine
import Diagnosis
import Primitives
import Terminal

/// `sightline doctor`: checks everything that a gateway needs, and changes nothing.
package struct DoctorCommand: Subcommand {
    package static let command = Command(
        name: "sightline doctor",
        summary: "finds the faults of this gateway and their remedies",
        options: [
            Option(
                "config", short: "c", value: "FILE",
                help: "the agent's configuration; the default is \(usualPath)"),
            Option("seconds", value: "N", help: "scan for N seconds; the default is 5"),
            Option("json", help: "write JSON, one object per line"),
        ], manual: manual)

    static let usualPath = "/etc/sightline/sightlined.json"

    let path: String
    let seconds: Int
    let json: Bool

    package init(_ invocation: Invocation) throws(UsageError) {
        path = invocation["config"] ?? Self.usualPath
        json = invocation.has("json")
        guard let text = invocation["seconds"] else {
            seconds = 5
            return
        }
        guard let number = Int(text), (1...3600).contains(number) else {
            throw UsageError(
                "--seconds must be a number of seconds, 1…3600, not “\(text.printable(limit: 40))”")
        }
        seconds = number
    }

    /// Writes a line after each check.
    package func run(to output: inout StandardOutput) -> ExitCode {
        var succeeds = true
        // An escaping closure can't capture an inout parameter.
        var lines = output
        var doctor = Doctor(seconds: seconds) { check in
            if check.outcome == .wrong { succeeds = false }
            print(json ? check.json.text : check.line, to: &lines)
            lines.flush()
        }
        doctor.examine(path)
        output = lines
        return succeeds ? .done : .failed
    }
}

extension DoctorCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "Checks everything that the agent of this gateway needs, in the order of repair, and writes a line for "
                + "each check: ok, warning (it works, but should be corrected), wrong with the remedy, or skipped. "
                + "After a failure, the checks that depend on it are skipped: the output names causes only. Run it "
                + "as root, so that it can scan and check the agent's files.",
            "It changes nothing. While an agent is running, it uses the reports of the agent's own scan and does not "
                + "touch the adapter. Otherwise it scans with a shared adapter (hci0) for --seconds, without a reset "
                + "and without a change of power. It opens an exclusive adapter as the agent does. It writes nothing "
                + "to the disk. Beside a running agent it does not log in at the broker: a broker that binds client "
                + "identifiers to users (use_username_as_clientid of mosquitto) would end the agent's connection. "
                + "Otherwise its client identifier is the agent's with the suffix /doctor. It checks write "
                + "permissions with messages of QoS 2 (MQTT 5), which it withdraws before their delivery. A few "
                + "brokers deliver such a message: it is {}, not retained.",
            "The check of read permissions relies on the broker's answers. Mosquitto with an acl_file grants every "
                + "subscription and withholds the messages: there, only a retained document proves that a layer is "
                + "readable.",
        ],
        exitCodes: [
            .init("0", "no failure; warnings are possible"),
            .init("1", "at least one check failed"),
            .init("2", "wrong use"),
        ],
        files: [.init(usualPath, "the configuration of the service")],
        examples: [
            .init("sudo sightline doctor", "Check this gateway:"),
            .init(
                "sudo sightline doctor --seconds 60", "Scan longer, if beacons are rare:"),
            .init("sightline doctor --json | jq 'select(.outcome != \"ok\")'", "Show faults only:"),
        ], seeAlso: ["sightline(1)", "sightlined(8)", "sightlined.json(5)"])
}
