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

extension Command {
    /// The text that `--help` shows, in lines of at most `width` columns, with a line feed at the end.
    package func helpText(width: Int = 80) -> String {
        let usage = "Usage: " + name
        var lines = [name + ": " + summary, ""]
        // Continued lines begin under the first piece.
        lines += wrapped(synopsis, after: usage + " ", indentation: usage.count + 1, width: width)
        lines += section("Commands", subcommands.map { ($0.word, $0.summary) }, width: width)
        lines += section("Arguments", operands.map { ($0.name, $0.help) }, width: width)
        lines += section("Options", allOptions.map { ($0.usage, $0.help) }, width: width)
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(
        _ title: String, _ rows: [(left: String, right: String)], width: Int
    ) -> [String] {
        guard !rows.isEmpty else { return [] }
        let column = min(rows.map(\.left.count).max() ?? 0, 28) + 4
        var lines = ["", title + ":"]
        for row in rows {
            var left = "  " + row.left
            if left.count + 2 > column {
                lines.append(left)
                left = ""
            }
            left += String(repeating: " ", count: column - left.count)
            let words = row.right.split(separator: " ").map(String.init)
            lines += wrapped(words, after: left, indentation: column, width: width)
        }
        return lines
    }
}

extension Option {
    /// `-c, --config FILE`, indented by the width of a short name if it has none.
    fileprivate var usage: String {
        let names = (short.map { "-\($0), " } ?? "    ") + "--" + long
        return names + (value.map { " " + $0 } ?? "")
    }
}

/// Sets words in lines; the first begins with `start`, the others with blanks.
private func wrapped(
    _ words: [String], after start: String, indentation: Int, width: Int
) -> [String] {
    var lines: [String] = []
    var line = start
    var isEmpty = true
    for word in words {
        if !isEmpty, line.count + 1 + word.count > width {
            lines.append(line)
            line = String(repeating: " ", count: indentation)
            isEmpty = true
        }
        line += isEmpty ? word : " " + word
        isEmpty = false
    }
    while line.last == " " { line.removeLast() }
    return lines + [line]
}

/// An option of a command: `--check`, `--config FILE`.
package struct Option: Equatable, Sendable {
    /// Its name without the hyphens.
    package let long: String
    /// Its one-letter name without the hyphen.
    package let short: Character?
    /// The name of its value in help texts; `nil` for an option without a value.
    package let value: String?
    /// The description: one sentence for a column, without a full stop.
    package let help: String
    package let isRequired: Bool
    package let isRepeatable: Bool
    /// A shell's suggestions for its value.
    package let completion: Completion

    package init(
        _ long: String, short: Character? = nil, value: String? = nil, help: String,
        isRequired: Bool = false, isRepeatable: Bool = false, completion: Completion? = nil
    ) {
        self.long = long
        self.short = short
        self.value = value
        self.help = help
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.completion = completion ?? Completion(ofValue: value)
    }

    /// Every command has these two.
    package static let help = Option("help", short: "h", help: "show this text")
    package static let version = Option("version", help: "show the version")
}

/// An argument of a command besides its options: `FILE`, `[HEX]…`.
package struct Operand: Equatable, Sendable {
    /// The name, as help texts show it.
    package let name: String
    /// The description: one sentence for a column, without a full stop.
    package let help: String
    package let isRequired: Bool
    /// Whether more than one may be given; only the last operand of a command.
    package let isRepeatable: Bool
    /// A shell's suggestions for it.
    package let completion: Completion

    package init(
        _ name: String, help: String, isRequired: Bool = true, isRepeatable: Bool = false,
        completion: Completion? = nil
    ) {
        self.name = name
        self.help = help
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.completion = completion ?? Completion(ofValue: name)
    }
}
