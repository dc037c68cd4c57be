import CommandLine
import Primitives
import Terminal

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
