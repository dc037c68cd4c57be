/// A shell's suggestions for a value.
package enum Completion: Equatable, Sendable {
    /// Nothing: it is a number, or a name that only its user knows.
    case nothing
    case file
    /// One of these, or something that begins so.
    case words([String])

    /// The lines that `PROGRAM completion WORD` prints when the shell asks.
    case names(String)

    /// The completion follows from the value's name.
    init(ofValue name: String?) {
        switch name {
        case "FILE", "PATH": self = .file
        case "SITE": self = .names("sites")
        case "GATEWAY": self = .names("ids")
        case "PROFILE": self = .names("profiles")
        default: self = .nothing
        }
    }
}

extension Command {
    /// A script for bash that completes the program's commands, options and values.
    package var bashCompletion: String {
        let function = "_" + name.map { $0 == "-" ? "_" : String($0) }.joined()
        return """
            # bash completion for \(name)
            \(function)() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= i
                COMPREPLY=()
                # An equals sign is a word of its own to bash.
                [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}
                [ "$word" != = ] || word=
                for ((i = 1; i < COMP_CWORD; i++)); do
                    case ${COMP_WORDS[i]} in
                        \(subcommands.isEmpty ? "--" : subcommands.map(\.word).joined(separator: "|")))
                            command=${COMP_WORDS[i]}
                            break
                            ;;
                    esac
                done
                case $command:$before in
            \(values.joined(separator: "\n"))
                    *)
                        case $command:$word in
            \(words.joined(separator: "\n"))
                        esac
                        ;;
                esac
            }
            complete -F \(function) \(name)

            """
    }

    /// Those whose options may stand on a command line: the program itself and its subcommands.
    private var branches: [(word: String, command: Command)] {
        [("", self)] + subcommands.map { ($0.word, $0) }
    }

    /// What follows an option that takes a value.
    private var values: [String] {
        var names: [(completion: Completion, patterns: [String])] = []
        for branch in branches {
            for option in branch.command.allOptions where option.value != nil {
                let own = (["--" + option.long] + (option.short.map { ["-\($0)"] } ?? []))
                    .map { "\(branch.word):\($0)" }
                if let place = names.firstIndex(where: { $0.completion == option.completion }) {
                    names[place].patterns += own
                } else {
                    names.append((option.completion, own))
                }
            }
        }
        return names.map {
            "        " + $0.patterns.joined(separator: "|") + ") \($0.completion.bash) ;;"
        }
    }

    /// The words that are not values of options: options, commands, operands.
    private var words: [String] {
        branches.flatMap { branch in
            let options = Completion.words(branch.command.allOptions.map { "--" + $0.long })
            let others =
                branch.command.subcommands.isEmpty
                ? branch.command.operands.last?.completion ?? options
                : .words(branch.command.subcommands.map(\.word))
            return [
                "                \(branch.word):-*) \(options.bash) ;;",
                "                \(branch.word):*) \(others.bash) ;;",
            ]
        }
    }
}

extension Completion {
    fileprivate var bash: String {
        switch self {
        case .nothing: return ":"
        case .file:
            return "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"
        case .words(let words):
            // Behind a key's equals sign its value follows.
            let option = words.contains { $0.hasSuffix("=") } ? "compopt -o nospace; " : ""
            let list = words.joined(separator: " ")
            return option + "mapfile -t COMPREPLY < <(compgen -W \"\(list)\" -- \"$word\")"
        case .names(let kind):
            let list = "$(\"${COMP_WORDS[0]}\" completion \(kind) 2>/dev/null)"
            return "mapfile -t COMPREPLY < <(compgen -W \"\(list)\" -- \"$word\")"
        }
    }
}

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
