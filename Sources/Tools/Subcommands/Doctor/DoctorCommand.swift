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
