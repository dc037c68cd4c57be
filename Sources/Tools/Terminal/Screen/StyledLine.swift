import Subscriber

/// A line for a terminal: pieces of text, each with a style.
package struct StyledLine: Equatable {
    package enum Style: String {
        case plain = ""
        case bold = "1"
        case faint = "2"
        case good = "32"
        case warning = "33"
        case bad = "1;31"
    }

    package struct Piece: Equatable {
        package var text: String
        package var style: Style

        package init(_ text: String, _ style: Style = .plain) {
            self.text = text
            self.style = style
        }
    }

    package private(set) var pieces: [Piece] = []
    /// Exchanges foreground and background.
    package var isHighlighted = false

    package init(_ text: String = "", _ style: Style = .plain) { append(text, style) }

    package mutating func append(_ text: String, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        pieces.append(Piece(text, style))
    }

    package mutating func append(_ line: StyledLine) { pieces += line.pieces }

    /// Columns on the screen, one for each character.
    package var width: Int { pieces.reduce(0) { $0 + $1.text.count } }

    /// The columns before a row of a list.
    package static let markWidth = 2

    /// A row of a list, after the mark of the selection.
    package func marked(isSelected: Bool) -> StyledLine {
        var line = StyledLine(isSelected ? "> " : "  ")
        line.append(self)
        line.isHighlighted = isSelected
        return line
    }

    /// The line in at most `width` columns, with control sequences for colours (ECMA-48 8.3.117), or in ASCII without
    /// `unicode`. A mark ends a line that does not fit.
    package func text(width: Int, colours: Bool, unicode: Bool) -> String {
        let texts = pieces.map { unicode ? $0.text : $0.text.inASCII }
        let spaces = texts.joined().reversed().prefix { $0 == " " }.count
        let isClipped = texts.reduce(-spaces) { $0 + $1.count } > width
        var left = width
        var text = ""
        for (piece, whole) in zip(pieces, texts) where left > 0 {
            var part = String(whole.prefix(left))
            left -= part.count
            if isClipped, left == 0 {
                part.removeLast()
                part.append(unicode ? String.clipMark : String.asciiClipMark)
            }
            let codes = [isHighlighted ? "7" : "", piece.style.rawValue].filter { !$0.isEmpty }
            text +=
                colours && !codes.isEmpty
                ? "\u{1b}[\(codes.joined(separator: ";"))m\(part)\u{1b}[0m" : part
        }
        // Spaces at the end have no use in a copied table.
        if !colours { while text.last == " " { text.removeLast() } }
        return text
    }
}

extension String {
    fileprivate static let asciiClipMark: Character = ">"

    /// With ASCII of the same width for the other characters of this program's own texts.
    fileprivate var inASCII: String {
        String(
            map { character -> Character in
                switch character {
                case Self.clipMark: Self.asciiClipMark
                case "–": "-"
                case _ where character.isASCII: character
                default: "?"
                }
            })
    }
}

extension GatewayCondition {
    package var style: StyledLine.Style {
        switch self {
        case .offline, .unknown, .deaf, .refused, .rejected: .bad
        case .degraded, .silent, .unsynced, .backlog, .pending, .behind, .losing, .expiring:
            .warning
        case .online: .good
        }
    }
}

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
