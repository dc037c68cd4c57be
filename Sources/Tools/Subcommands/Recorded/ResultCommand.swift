import CommandLine
import Configuration
import Contract
import Posix
import Queueing
import Results
import Session
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

    /// Shows what servers publish until a signal.
    func run(
        _ program: inout some TerminalProgram, _ filters: [String], of broker: BrokerOptions,
        usesScreen: Bool = false, to output: inout StandardOutput
    ) -> ExitCode {
        do throws(BrokerOptions.Unusable) {
            let settings = try broker.settings(maximumPayload: 1 << 20)
            var loop = TerminalLoop(
                BrokerSession(.init(settings, filters: filters)), usesScreen: usesScreen,
                advice: broker.advice)
            return loop.run(&program, to: &output)
        } catch {
            StandardOutput.report(error.message)
            return .wrongUse
        }
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
