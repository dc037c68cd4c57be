/// A program or a subcommand as a table, from which parsing, help, the man page and completions
/// follow.
package struct Command: Equatable, Sendable {
    /// The full name on the command line; a subcommand's begins with the program's: `sightline
    /// watch`.
    package let name: String
    /// The purpose: one sentence, without a full stop.
    package let summary: String
    /// Its own options; `allOptions` has those besides that every command has.
    package let options: [Option]
    package let operands: [Operand]
    /// The subcommands. A command that has some has no operands of its own.
    package let subcommands: [Command]
    /// Whether a command with subcommands needs one of them.
    package let needsSubcommand: Bool
    /// The additional text of its man page.
    package let manual: Manual

    package init(
        name: String, summary: String, options: [Option] = [], operands: [Operand] = [],
        subcommands: [Command] = [], needsSubcommand: Bool = true, manual: Manual = Manual()
    ) {
        self.name = name
        self.summary = summary
        self.options = options
        self.operands = operands
        self.subcommands = subcommands
        self.needsSubcommand = needsSubcommand
        self.manual = manual
    }

    /// Its options, `--help` and `--version` last.
    package var allOptions: [Option] { options + [.help, .version] }

    /// The last word of the name.
    package var word: String { String(name.split(separator: " ").last ?? "") }

    /// How it is used, in pieces that a line must not break.
    package var synopsis: [String] {
        var pieces = options.map { option in
            let usage = "--" + option.long + (option.value.map { " " + $0 } ?? "")
            return (option.isRequired ? usage : "[\(usage)]") + (option.isRepeatable ? "…" : "")
        }
        if !subcommands.isEmpty { pieces.append(needsSubcommand ? "COMMAND" : "[COMMAND]") }
        pieces += operands.map { operand in
            (operand.isRequired ? operand.name : "[\(operand.name)]")
                + (operand.isRepeatable ? "…" : "")
        }
        return pieces
    }
}
