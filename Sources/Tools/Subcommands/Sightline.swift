import CommandLine
import Contract
import MQTT
import Posix
import Primitives
import Terminal

/// The program `sightline`, from its arguments to its exit status.
package enum Sightline {
    /// The subcommands with a help and a manual page of their own: all but `help`.
    private static var documented: [any Subcommand.Type] {
        [
            StatusCommand.self, WatchCommand.self, TuneCommand.self, DecodeCommand.self,
            DoctorCommand.self, QueueCommand.self, RegionsCommand.self, RangingCommand.self,
            SurveyCommand.self, BeaconsCommand.self, PlanCommand.self, CompletionCommand.self,
        ]
    }

    /// The words that `sightline help` takes.
    static var words: [String] { documented.map { $0.command.word } }

    private static var subcommands: [any Subcommand.Type] { documented + [HelpCommand.self] }

    /// The program's command line.
    package static let command = Command(
        name: "sightline",
        summary: "watches and retunes a store chain's gateways, and reads advertisements",
        subcommands: subcommands.map { $0.command },
        manual: Manual(
            [
                "The operator's tool. It connects to the MQTT broker of the gateways, whose agent is "
                    + "sightlined(8). It needs no access to the gateways. Only sightline doctor runs on a gateway."
            ], exitCodes: ExitCode.manual,
            environment: [
                .init("SIGHTLINE_BROKER", "the broker without --broker and --profile"),
                .init("SIGHTLINE_PROFILE", "the profile without --profile"),
                .init("NO_COLOR", "no colours if it is not empty"),
            ],
            files: [
                .init("~/.config/sightline/NAME/profile.json", "the profile NAME"),
                .init("~/.cache/sightline/gateways", "the names of gateways for completions"),
            ],
            seeAlso: words.map { "sightline-\($0)(1)" }
                + ["sightline-profile.json(5)", "sightlined(8)"]))

    /// Runs the subcommand that the arguments after the program's name choose.
    package static func run(_ arguments: some Sequence<String>) -> ExitCode {
        StandardDescriptors.fill()
        if Array(arguments) == [ConnectionProcess.argument] {
            return ConnectionProcess.run() ? .done : .failed
        }
        var output = StandardOutput()
        let status: ExitCode
        do throws(UsageError) {
            status = try run(try command.parse(arguments), to: &output)
        } catch {
            output.flush()
            StandardOutput.report(command.sentence(for: error, in: explained(arguments)))
            return .wrongUse
        }
        output.flush()
        guard let failure = output.failure else { return status }
        if failure == .brokenPipe { StandardOutput.endByBrokenPipe() }
        StandardOutput.report(
            failure == .badDescriptor
                ? "standard output is closed" : "standard output failed: \(failure)")
        return .failed
    }

    /// The arguments without the word `help`, which is about the program.
    private static func explained(_ arguments: some Sequence<String>) -> [String] {
        let word = arguments.first { !$0.hasPrefix("-") }
        return word == HelpCommand.command.word ? [] : Array(arguments)
    }

    private static func run(
        _ request: ParsedArguments, to output: inout StandardOutput
    ) throws(UsageError) -> ExitCode {
        switch request {
        case .help(let command):
            output.write(command.helpText())
            return .done
        case .version:
            output.write("sightline \(Version.full)\n\(MQTTLibraries.versions)\n")
            return .done
        case .run(let invocation):
            let word = invocation.command.word
            guard let subcommand = subcommands.first(where: { $0.command.word == word }) else {
                return .wrongUse
            }
            return try subcommand.init(invocation).run(to: &output)
        }
    }
}

/// `sightline help`: the help of a command.
struct HelpCommand: Subcommand {
    static let command = Command(
        name: "sightline help", summary: "shows the help of a command",
        operands: [
            Operand(
                "COMMAND", help: "a command of sightline; without it, all are listed",
                isRequired: false, completion: .words(Sightline.words))
        ],
        manual: Manual(
            ["The same text as --help of the command."], exitCodes: ExitCode.manual,
            seeAlso: ["sightline(1)"]))

    private let subject: Command

    init(_ invocation: Invocation) throws(UsageError) {
        guard let word = invocation.operands.first else {
            subject = Sightline.command
            return
        }
        guard case .help(let command) = try Sightline.command.parse([word, "--help"]) else {
            throw UsageError("“\(word.printable())” is no command of sightline")
        }
        subject = command
    }

    func run(to output: inout StandardOutput) -> ExitCode {
        output.write(subject.helpText())
        return .done
    }
}
