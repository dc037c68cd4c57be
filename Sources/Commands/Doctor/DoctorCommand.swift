import CommandLine
import CommandSupport
import Primitives

/// `sightline doctor`: looks at everything that a gateway needs, and changes nothing.
package struct DoctorCommand: Subcommand {
    package static let command = Command(
        name: "sightline doctor",
        summary: "says what keeps this gateway from working, and what to do about it",
        options: [
            Option(
                "config", short: "c", value: "FILE",
                help: "the agent's configuration; \(usualPath) if not given"),
            Option("seconds", value: "N", help: "listen to the radio so long; 5 if not given"),
            Option("json", help: "write JSON, a document per line"),
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

    /// Looks, and writes a line for each check as soon as it is done.
    package func run(to output: inout StandardOutput) -> ExitCode {
        var isWell = true
        // An escaping closure can't have what is lent.
        var lines = output
        var doctor = Doctor(seconds: seconds) { check in
            if check.outcome == .wrong { isWell = false }
            print(json ? check.json.text : check.line, to: &lines)
            lines.flush()
        }
        doctor.examine(path)
        output = lines
        return isWell ? .done : .failed
    }
}
