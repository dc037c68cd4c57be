extension Command {
    /// A function for zsh's completion system: the file `_sightline`.
    package var zshCompletion: String {
        let own = zshArguments(allOptions, operands)
        guard !subcommands.isEmpty else {
            return "#compdef \(name)\n_arguments -s -S \\\n\(own)\n"
        }
        let described = subcommands.map { "    '\($0.word):\($0.summary.zshQuoted)'" }
            .joined(separator: "\n")
        let cases = subcommands.map { command in
            "        \(command.word))\n            _arguments -s -S \\\n"
                + command.zshArguments(command.allOptions, command.operands) + "\n            ;;"
        }.joined(separator: "\n")
        return """
            #compdef \(name)
            local -a commands=(
            \(described)
            )
            local curcontext=$curcontext state line
            _arguments -C -S \\
            \(own) \\
                '1:command:->command' '*::argument:->argument'
            case $state in
                command) _describe command commands ;;
                argument)
                    case $line[1] in
            \(cases)
                    esac
                    ;;
            esac

            """
    }

    /// The first word of the name.
    private var program: String { name.split(separator: " ").first.map(String.init) ?? name }

    private func zshArguments(_ options: [Option], _ operands: [Operand]) -> String {
        var lines = options.map { option in
            let value =
                option.value.map { ":\($0.zshQuoted):\(option.completion.zsh(of: program))" } ?? ""
            let help = "[\(option.help.zshQuoted)]"
            let star = option.isRepeatable ? "*" : ""
            guard let short = option.short else {
                return "    '\(star)--\(option.long)\(help)\(value)'"
            }
            return "    '(-\(short) --\(option.long))'{-\(short),--\(option.long)}'\(help)\(value)'"
        }
        lines += operands.map { operand in
            let completion = operand.completion.zsh(of: program)
            let star = operand.isRepeatable ? "*" : ""
            return "    '\(star):\(operand.name.zshQuoted):\(completion)'"
        }
        return lines.joined(separator: " \\\n")
    }
}

extension Completion {
    fileprivate func zsh(of program: String) -> String {
        switch self {
        case .nothing: " "
        case .file: "_files"
        case .words(let words):
            "(" + words.map { $0.zshQuoted }.joined(separator: " ") + ")"
        case .names(let kind): "{compadd - $(\(program) completion \(kind) 2>/dev/null)}"
        }
    }
}

extension String {
    /// Between single quotes, in a specification of `_arguments`: its own signs are escaped.
    fileprivate var zshQuoted: String {
        map { character in
            switch character {
            case "'": "’"
            case "[", "]", ":", "\\": "\\\(character)"
            default: String(character)
            }
        }.joined()
    }
}
