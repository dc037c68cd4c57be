import CommandLine
import Configuration
import Contract
import Posix
import Queueing
import Results
import Terminal

/// A command that shows results of servers, or computes them from messages in files.
protocol ResultCommand: Subcommand {
    /// Runs with the messages of files.
    ///
    /// - Parameter report: takes the faults.
    func run(
        _ configuration: QueueConfiguration, to output: inout StandardOutput,
        report: (String) -> Void
    ) -> ExitCode
}

// What the commands share that show results of servers.
extension Subcommand {
    static var resultsRoot: Option {
        Option(
            "results-root", value: "ROOT",
            help: "the root of the servers' topics; the default is \(ResultTopics.usualRoot)")
    }

    static var input: Option {
        Option(
            "input", value: "FILE",
            help: "messages, one a line, as sightlined --output - and mosquitto_sub -v write "
                + "them; - is standard input",
            isRepeatable: true)
    }

    /// The topics of servers.
    static func topics(_ invocation: Invocation) throws(UsageError) -> ResultTopics {
        let root = invocation["results-root"] ?? ResultTopics.usualRoot
        guard Topics.isRoot(root) else {
            throw UsageError("--results-root must be \(Topics.rootRule)")
        }
        return ResultTopics(root: root)
    }
}

extension ResultCommand {
    /// Runs with the messages of files.
    func run(configuration path: String, to output: inout StandardOutput) -> ExitCode {
        do throws(ConfigurationError) {
            let configuration = try QueueConfiguration.load(path: path)
            return run(configuration, to: &output, report: StandardOutput.report)
        } catch {
            error.lines.forEach(StandardOutput.report)
            return .wrongUse
        }
    }
}
