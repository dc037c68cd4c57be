import CommandLine
import Contract
import Posix

/// The program `sightline`, from its arguments to its exit status.
package enum Sightline {
    /// What the program takes.
    package static let command = Command(
        name: "sightline",
        summary: "watches and retunes a store chain's gateways, and reads advertisements",
        subcommands: [
            WatchCommand.command, TuneCommand.command, DecodeCommand.command, DoctorCommand.command,
        ],
        manual: manual)

    /// Runs the subcommand that the arguments after the program's name choose.
    package static func run(_ arguments: some Sequence<String>) -> ExitCode {
        var output = StandardOutput()
        let status: ExitCode
        do throws(UsageError) {
            status = try run(try command.parse(arguments), to: &output)
        } catch {
            output.flush()
            StandardOutput.complain(sentence(for: error, chosen(by: arguments)))
            return .wrongUse
        }
        output.flush()
        guard let failure = output.failure else { return status }
        if failure == .brokenPipe { StandardOutput.endByBrokenPipe() }
        StandardOutput.complain("can't write: \(failure)")
        return .failed
    }

    /// The subcommand that the arguments name, else the program itself.
    static func chosen(by arguments: some Sequence<String>) -> Command {
        let word = arguments.first { !$0.hasPrefix("-") }
        return command.subcommands.first { $0.word == word } ?? command
    }

    /// What is wrong, and where to read how it is right.
    static func sentence(for error: UsageError, _ command: Command) -> String {
        let text = error.description
        return text + (text.hasSuffix("?") ? " See" : "; see") + " '\(command.name) --help'"
    }

    private static func run(
        _ request: Request, to output: inout StandardOutput
    ) throws(UsageError) -> ExitCode {
        switch request {
        case .help(let command):
            output.write(command.helpText())
            return .done
        case .version:
            output.write("sightline \(Version.current)\n")
            return .done
        case .run(let invocation):
            var complaints: [String] = []
            switch invocation.command.word {
            case DecodeCommand.command.word:
                let status = try DecodeCommand(invocation)
                    .run(to: &output) { complaints.append($0) }
                // What could be read comes before what could not.
                output.flush()
                complaints.forEach(StandardOutput.complain)
                return status
            case WatchCommand.command.word:
                return watch(try WatchCommand(invocation))
            case DoctorCommand.command.word: return try DoctorCommand(invocation).run(to: &output)
            case TuneCommand.command.word: return tune(try TuneCommand(invocation))
            default: return .wrongUse
            }
        }
    }

    private static func watch(_ command: WatchCommand) -> ExitCode {
        do throws(BrokerOptions.Unusable) {
            var watch = Watch(command, try command.settings(), Environment())
            return watch.run(seconds: command.seconds)
        } catch {
            StandardOutput.complain(error.sentence)
            return .wrongUse
        }
    }

    private static func tune(_ command: TuneCommand) -> ExitCode {
        var plan: Plan?
        if let path = command.plan {
            let name = path == Plan.standardInput ? "standard input" : path
            do throws(Plan.Flawed) {
                plan = try Plan(path: path)
            } catch {
                error.sentences.forEach { StandardOutput.complain("\(name): \($0)") }
                return .wrongUse
            }
            plan?.warnings.forEach { StandardOutput.complain("\(name): \($0)") }
        }
        do throws(BrokerOptions.Unusable) {
            var tune = Tune(command, command.order(plan), try command.settings(), Environment())
            return tune.run()
        } catch {
            StandardOutput.complain(error.sentence)
            return .wrongUse
        }
    }
}
