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
