extension Command {
    /// Commands for fish that complete the program's commands, options and values.
    package var fishCompletion: String {
        var lines = ["# fish completion for \(name)", "complete -c \(name) -f"]
        let words = subcommands.map(\.word).joined(separator: " ")
        let isFirst = subcommands.isEmpty ? nil : "not __fish_seen_subcommand_from \(words)"
        for command in subcommands {
            lines.append(
                "complete -c \(name) -n '\(isFirst ?? "")' -a \(command.word)"
                    + " -d '\(command.summary.fishQuoted)'")
        }
        lines += fishArguments(of: name, condition: isFirst)
        for command in subcommands {
            lines += command.fishArguments(
                of: name, condition: "__fish_seen_subcommand_from \(command.word)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func fishArguments(of program: String, condition: String?) -> [String] {
        let start = "complete -c \(program)" + (condition.map { " -n '\($0)'" } ?? "")
        let own = allOptions.map { option in
            var line = start + (option.short.map { " -s \($0)" } ?? "") + " -l \(option.long)"
            if option.value != nil {
                // -x: the value is no file.
                line += option.completion == .file ? " -r" : " -x"
                line += option.completion.fish(of: program)
            }
            return line + " -d '\(option.help.fishQuoted)'"
        }
        return own
            + operands.compactMap { operand in
                let words = operand.completion.fish(of: program)
                return words.isEmpty ? nil : start + words
            }
    }
}

extension Completion {
    fileprivate func fish(of program: String) -> String {
        switch self {
        case .nothing: ""
        case .file: " -F"
        case .words(let words): " -a '\(words.joined(separator: " ").fishQuoted)'"
        case .names(let kind): " -a '(\(program) completion \(kind) 2>/dev/null)'"
        }
    }
}

extension String {
    /// Between single quotes.
    fileprivate var fishQuoted: String {
        map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }
}
