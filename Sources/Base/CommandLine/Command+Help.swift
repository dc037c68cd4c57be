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
