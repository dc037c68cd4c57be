import CommandLine

extension Command {
    /// The command's man page, in the language of man(7): from the same tables as `helpText`.
    package func manualPage(section: Int, version: String) -> String {
        let page = name.split(separator: " ").joined(separator: "-")
        var roff = Roff(title: page, section: section, version: version)
        roff.heading("NAME")
        roff.line(Roff.escaped(page) + " \\- " + Roff.escaped(summary))
        roff.heading("SYNOPSIS")
        roff.line(
            "\\fB" + Roff.escaped(name) + "\\fR "
                + synopsis.map { Roff.escaped($0).unbroken }.joined(separator: " "))
        if !manual.description.isEmpty {
            roff.heading("DESCRIPTION")
            for words in manual.description { roff.paragraph(words) }
        }
        let commands = subcommands.map {
            Manual.Entry($0.word, $0.summary + "; see \(page)-\($0.word)(\(section))")
        }
        roff.section("COMMANDS", commands)
        roff.section("ARGUMENTS", operands.map { Manual.Entry($0.name, $0.help) })
        roff.section("OPTIONS", allOptions.map { Manual.Entry($0.manualTerm, $0.help) })
        roff.section("EXIT STATUS", manual.exitCodes)
        roff.section("ENVIRONMENT", manual.environment)
        roff.section("FILES", manual.files)
        if !manual.examples.isEmpty {
            roff.heading("EXAMPLES")
            for example in manual.examples {
                roff.paragraph(example.text)
                roff.example(["  \(example.term)"])
            }
        }
        if !manual.seeAlso.isEmpty {
            roff.heading("SEE ALSO")
            roff.line(Roff.escaped(manual.seeAlso.joined(separator: ", ")))
        }
        return roff.text
    }
}

extension Roff {
    fileprivate mutating func section(_ title: String, _ entries: [Manual.Entry]) {
        guard !entries.isEmpty else { return }
        heading(title)
        for entry in entries { self.entry(entry.term, entry.text + ".") }
    }
}

extension Option {
    /// `-c, --config FILE`.
    fileprivate var manualTerm: String {
        (short.map { "-\($0), " } ?? "") + "--" + long + (value.map { " " + $0 } ?? "")
    }
}

extension String {
    /// With blanks at which no line is broken.
    fileprivate var unbroken: String { split(separator: " ").joined(separator: "\\ ") }
}
