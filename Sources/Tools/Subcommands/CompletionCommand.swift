import CommandLine
import Posix
import Terminal

/// `sightline completion`: prints the completion of a shell, and the names that it asks for.
struct CompletionCommand: Subcommand {
    static let command = Command(
        name: "sightline completion",
        summary: "prints the completion script of a shell: bash, zsh or fish",
        operands: [
            Operand(
                "SHELL",
                help: "bash, zsh or fish; or gateways, sites, ids, labels, profiles for the names"
                    + " that scripts complete",
                completion: .words(["bash", "zsh", "fish"]))
        ],
        manual: Manual(
            [
                "The packages install the same scripts. Sites and gateways come from a file that status, watch and "
                    + "tune write when they see the whole fleet; it is used for a week."
            ], exitCodes: ExitCode.manual,
            files: [
                .init(
                    "~/.cache/sightline/gateways", "the names of the gateways that were last seen")
            ],
            examples: [
                .init("source <(sightline completion bash)", "In ~/.bashrc:"),
                .init(
                    "sightline completion zsh >~/.zfunc/_sightline", "For a folder in zsh's fpath:"),
                .init("sightline completion fish | source", "In ~/.config/fish/config.fish:"),
            ], seeAlso: ["sightline(1)"]))

    private let word: String

    init(_ invocation: Invocation) throws(UsageError) {
        word = invocation.operands.first ?? ""
        let words = ["bash", "zsh", "fish", "gateways", "sites", "ids", "labels", "profiles"]
        guard words.contains(word) else {
            throw UsageError("expected bash, zsh or fish, not “\(word.printable())”")
        }
    }

    func run(to output: inout StandardOutput) -> ExitCode {
        switch word {
        case "bash": output.write(Sightline.command.bashCompletion)
        case "zsh": output.write(Sightline.command.zshCompletion)
        case "fish": output.write(Sightline.command.fishCompletion)
        default: output.write(names.map { $0 + "\n" }.joined())
        }
        return .done
    }

    private var names: [String] {
        guard word != "profiles" else { return Profile.names(Environment()) }
        guard word != "labels" else { return labels }
        let gateways = NameCache().names(wall: .now)
        let names =
            switch word {
            case "sites": gateways.map(\.site)
            case "ids": gateways.map(\.id)
            default: gateways.map(\.description)
            }
        return Set(names).sorted()
    }

    /// Those of the profile without a choice.
    private var labels: [String] {
        guard let path = (try? Profile.usual(Environment()))?.labels,
            let file = try? PlanFile(path: path)
        else { return [] }
        return (try? LabelledGateways(file))?.all ?? []
    }
}
