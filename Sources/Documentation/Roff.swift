/// A man page in the making: text in the macros of man(7).
package struct Roff {
    package private(set) var text = ""

    /// Begins a page: `SIGHTLINED(8)`, with the version at its foot.
    package init(title: String, section: Int, version: String) {
        macro("TH", title.uppercased(), "\(section)", "", "Sightline \(version)", "Sightline")
        // Commands are typed as they stand: no word is broken at a hyphen.
        macro("nh")
    }

    package mutating func heading(_ title: String) { macro("SH", title) }

    package mutating func paragraph(_ words: String) {
        macro("PP")
        line(Self.escaped(words))
    }

    /// A term, and its explanation below it.
    package mutating func entry(_ term: String, _ words: String) {
        macro("TP")
        line("\\fB" + Self.escaped(term) + "\\fR")
        line(Self.escaped(words))
    }

    /// Lines that stand as they are.
    package mutating func example(_ lines: some Sequence<Substring>) {
        macro("PP")
        macro("EX")
        for text in lines { line(Self.escaped(String(text))) }
        macro("EE")
    }

    /// Words in one line that may be filled.
    package mutating func line(_ escaped: String) {
        // A line that begins with one of these would be a request.
        let isRequest = escaped.hasPrefix(".") || escaped.hasPrefix("'")
        text += (isRequest ? "\\&" : "") + escaped + "\n"
    }

    package mutating func macro(_ name: String, _ arguments: String...) {
        let quoted = arguments.map { " \"" + Self.escaped($0) + "\"" }
        text += "." + name + quoted.joined() + "\n"
    }

    /// Literal text: a hyphen stays the character that a user types (groff_man_style(7)).
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "\"": escaped += "\\(dq"
            case "~": escaped += "\\(ti"
            case "^": escaped += "\\(ha"
            case "`": escaped += "\\(ga"
            case "…": escaped += "\\&..."
            case "–": escaped += "\\(en"
            case "−": escaped += "\\-"
            case "“": escaped += "\\(lq"
            case "”": escaped += "\\(rq"
            case "’": escaped += "\\(cq"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
