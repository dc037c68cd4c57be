import CommandLine
import CommandSupport
import JSON
import Posix
import Primitives
import Queueing

/// `sightline queue`: measures queues from messages in files.
package struct QueueCommand: Subcommand {
    package static let command = Command(
        name: "sightline queue", summary: "measures queues from messages in files",
        options: [
            Option(
                "input", value: "FILE",
                help: "messages, one a line, as sightlined --output - and mosquitto_sub -v write "
                    + "them; - is standard input",
                isRequired: true, isRepeatable: true),
            Option(
                "config", value: "FILE", help: "the sites, their queues and gateways",
                isRequired: true),
            Option(
                "allowed-lateness", value: "SECONDS",
                help: "print results while reading; no message comes later than this after a newer "
                    + "one"),
            Option("identities", help: "show the beacon of each visit"),
        ], manual: manual)

    private let inputs: [String]
    private let configurationPath: String
    private let allowedLatenessMs: Int64?
    private let showsIdentities: Bool

    /// Faulty lines that are named; more are only counted.
    private static let mostFaults = 20

    package init(_ invocation: Invocation) throws(UsageError) {
        inputs = invocation.all("input")
        configurationPath = invocation["config"] ?? ""
        showsIdentities = invocation.has("identities")
        if let text = invocation["allowed-lateness"] {
            guard let seconds = Int64(text), (1...86_400).contains(seconds) else {
                throw UsageError(
                    "--allowed-lateness must be 1 to 86400 seconds, not “\(text.printable())”")
            }
            guard inputs.count == 1 else {
                throw UsageError("--allowed-lateness takes one --input, which is read as it grows")
            }
            allowedLatenessMs = seconds * 1000
        } else {
            allowedLatenessMs = nil
        }
    }

    package func run(to output: inout StandardOutput) -> ExitCode {
        let configuration: QueueConfiguration
        do throws(ConfigurationFaults) {
            configuration = try QueueConfiguration.load(path: configurationPath)
        } catch {
            error.lines.forEach(StandardOutput.report)
            return .wrongUse
        }
        return run(configuration, to: &output, report: StandardOutput.report)
    }

    /// Writes results to `output` and faults to `report`.
    func run(
        _ configuration: QueueConfiguration, to output: inout StandardOutput,
        report: (String) -> Void
    ) -> ExitCode {
        var run = QueueRun(
            configuration, showsIdentities: showsIdentities, allowedLatenessMs: allowedLatenessMs)
        var status = ExitCode.done
        for path in inputs {
            do throws(Errno) {
                try read(path, &run, to: &output, report: report)
            } catch {
                report("\(path.printable(limit: 1000)): can't be read: \(error)")
                status = .failed
            }
        }
        for result in run.finish() { output.write(bytes: result.bytes + [UInt8(ascii: "\n")]) }
        let unnamed = run.counts.invalid - Self.mostFaults
        if unnamed > 0 { report("\(count(unnamed, "more invalid line")) not shown") }
        return status
    }

    private func read(
        _ path: String, _ run: inout QueueRun, to output: inout StandardOutput,
        report: (String) -> Void
    ) throws(Errno) {
        let lines = try LineReader(path: path)
        while output.failure == nil, let line = try lines.next() {
            if let fault = run.take(line), run.counts.invalid <= Self.mostFaults {
                let place = "\(path.printable(limit: 1000)):\(lines.number)"
                report("\(place): \(fault.printable(limit: 200))")
            }
            guard allowedLatenessMs != nil else { continue }
            let results = run.advance()
            for result in results { output.write(bytes: result.bytes + [UInt8(ascii: "\n")]) }
            if !results.isEmpty { output.flush() }
        }
    }
}
