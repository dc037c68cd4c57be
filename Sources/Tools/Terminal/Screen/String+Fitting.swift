extension String {
    /// The mark at the end of a text that was cut off: `>` on a terminal without Unicode.
    static let clipMark: Character = "…"

    /// At most `width` characters, of which the last marks that more follow.
    package func clipped(_ width: Int) -> String {
        guard count > width else { return self }
        return width > 0 ? prefix(width - 1) + String(Self.clipMark) : ""
    }

    /// Lines of at most `width` characters, broken at spaces. Each further line is indented twice as far as the first.
    package func wrapped(to width: Int) -> [String] {
        guard count > width else { return [self] }
        let indentation = String(prefix { $0 == " " })
        var lines: [String] = []
        for word in split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(indentation + (lines.isEmpty ? "" : indentation) + word)
            }
        }
        return lines
    }
}
