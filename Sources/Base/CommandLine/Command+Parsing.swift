import Primitives

extension Command {
    /// Parses the arguments after the program's name.
    ///
    /// Options may appear anywhere before `--`, as `--option VALUE`, `--option=VALUE` or `-o
    /// VALUE`. A lone `-` is an operand or a value. `--help` and `--version` end the parsing.
    package func parse(_ arguments: some Sequence<String>) throws(UsageError) -> ParsedArguments {
        var parser = ArgumentParser(command: self, rest: Array(arguments)[...])
        return try parser.parse()
    }

    /// An error in the arguments, with the command whose help explains them: the subcommand that they choose, else this one.
    package func sentence(
        for error: UsageError, in arguments: some Sequence<String>
    ) -> String {
        let text = error.description
        guard error.concernsHelp else { return text }
        let word = arguments.first { !$0.hasPrefix("-") }
        let chosen = subcommands.first { $0.word == word } ?? self
        return text + (text.hasSuffix("?") ? " See" : "; see") + " '\(chosen.name) --help'"
    }
}

private struct ArgumentParser {
    var command: Command
    var rest: ArraySlice<String>
    var values: [String: [String]] = [:]
    var operands: [String] = []

    mutating func parse() throws(UsageError) -> ParsedArguments {
        while let argument = rest.popFirst() {
            if argument == "--" {
                while let operand = rest.popFirst() { try take(operand: operand) }
            } else if argument.hasPrefix("-"), argument != "-" {
                switch try take(option: argument) {
                case .help: return .help(command)
                case .version: return .version
                default: break
                }
            } else {
                try take(operand: argument)
            }
        }
        try checkCompleteness()
        return .run(Invocation(command, values: values, operands: operands))
    }

    private mutating func take(option argument: String) throws(UsageError) -> Option {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard let option = command.allOptions.first(where: { $0.isCalled(name) }) else {
            throw unknownOption(name)
        }
        let attached = parts.count > 1 ? String(parts[1]) : nil
        if !option.isRepeatable, values[option.long] != nil {
            throw UsageError("--\(option.long) is given twice")
        }
        values[option.long, default: []].append(try value(of: option, attached: attached))
        return option
    }

    private mutating func value(
        of option: Option, attached: String?
    ) throws(UsageError) -> String {
        guard let name = option.value else {
            guard let attached else { return "" }
            throw UsageError("--\(option.long) takes no value: “\(attached)” is unexpected")
        }
        if let attached { return attached }
        guard let next = rest.first, !next.hasPrefix("--") else {
            throw UsageError(
                "--\(option.long) needs a value: --\(option.long) \(name)")
        }
        rest.removeFirst()
        return next
    }

    private mutating func take(operand: String) throws(UsageError) {
        if !command.subcommands.isEmpty {
            guard let chosen = command.subcommands.first(where: { $0.word == operand }) else {
                throw unknownSubcommand(operand)
            }
            command = chosen
            return
        }
        guard
            operands.count < command.operands.count
                || command.operands.last?.isRepeatable ?? false
        else {
            let expected = command.operands.map(\.name).joined(separator: " ")
            throw UsageError(
                "“\(operand)” is one argument too many; "
                    + (expected.isEmpty
                        ? "\(command.name) takes options only" : "expected \(expected)"))
        }
        operands.append(operand)
    }

    private func checkCompleteness() throws(UsageError) {
        if !command.subcommands.isEmpty, command.needsSubcommand {
            let words = command.subcommands.map(\.word).joined(separator: ", ")
            throw UsageError("a command is missing; expected one of \(words)")
        }
        for option in command.options where option.isRequired && values[option.long] == nil {
            let usage = "--" + option.long + (option.value.map { " " + $0 } ?? "")
            throw UsageError("\(usage) is required")
        }
        let required = command.operands.filter(\.isRequired)
        if operands.count < required.count {
            throw UsageError("\(required[operands.count].name) is missing")
        }
    }

    private func unknownOption(_ name: String) -> UsageError {
        let all = command.allOptions.map(\.long)
        // The hyphens are no letters: with them, --host would be near to --root.
        let advice =
            NearestWord.to(String(name.drop { $0 == "-" }), among: all)
            .map { "did you mean --\($0)?" }
            ?? "expected \(all.map { "--" + $0 }.joined(separator: ", "))"
        return UsageError("“\(name)” is no option of \(command.name); \(advice)")
    }

    private func unknownSubcommand(_ word: String) -> UsageError {
        let all = command.subcommands.map(\.word)
        let advice =
            NearestWord.to(word, among: all).map { "did you mean \($0)?" }
            ?? "expected one of \(all.joined(separator: ", "))"
        return UsageError("“\(word)” is no command of \(command.name); \(advice)")
    }
}

extension Option {
    fileprivate func isCalled(_ name: String) -> Bool {
        name == "--" + long || short.map { name == "-\($0)" } ?? false
    }
}

/// A request that the arguments of a program express.
package enum ParsedArguments: Equatable, Sendable {
    /// Show the help of a command.
    case help(Command)
    /// Show the version.
    case version
    case run(Invocation)
}

/// A command with its options and operands.
package struct Invocation: Equatable, Sendable {
    /// The command, or the subcommand that was chosen.
    package let command: Command
    package let operands: [String]
    private let values: [String: [String]]

    init(_ command: Command, values: [String: [String]], operands: [String]) {
        self.command = command
        self.values = values
        self.operands = operands
    }

    /// Whether the option was given.
    package func has(_ option: String) -> Bool { values[option] != nil }

    /// The option's value; `nil` when it was not given.
    package subscript(option: String) -> String? { values[option]?.last }

    /// The values of an option that may be repeated, in their order.
    package func all(_ option: String) -> [String] { values[option] ?? [] }
}

/// Why arguments can't be understood.
package struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One sentence that names the argument and the expected form, without a full stop.
    package let description: String
    /// Whether the help of the command explains the argument. A fault of a file or of the environment has another remedy.
    package let concernsHelp: Bool

    package init(_ description: String, concernsHelp: Bool = true) {
        self.description = description
        self.concernsHelp = concernsHelp
    }
}
