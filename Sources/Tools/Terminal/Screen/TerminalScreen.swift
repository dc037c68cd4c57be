import Glibc
import Posix

/// The alternate screen of a terminal, as a value: frames become the control sequences that draw them (ECMA-48; private
/// modes of xterm). A frame sends only the lines that differ from the frame before, so nothing flickers.
package struct TerminalScreen {
    /// The lines on the terminal; `nil` if they are unknown.
    private var shown: [String]?

    private enum Sequence {
        /// The alternate screen; without cursor and line wrapping.
        static let open = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
        static let close = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"
        static let eraseAll = "\u{1b}[H\u{1b}[2J"
        static let eraseToEndOfLine = "\u{1b}[K"
        static let eraseBelow = "\u{1b}[J"
        static func line(_ row: Int) -> String { "\u{1b}[\(row + 1);1H" }
        /// A synchronised update: the terminal shows all of it at once. Terminals without it ignore the mode.
        static let begin = "\u{1b}[?2026h"
        static let end = "\u{1b}[?2026l"
    }

    package init() {}

    /// The text that takes the screen, before the first frame and after `closed`.
    package mutating func opened() -> String {
        shown = nil
        return Sequence.open
    }

    /// The text that returns the screen as it was.
    package func closed() -> String { Sequence.close }

    /// Draws the next frame whole: the terminal has changed its size, or another program has written to it.
    package mutating func forget() { shown = nil }

    /// The text that turns the frame before into `lines`; empty if nothing has changed.
    package mutating func frame(_ lines: [String]) -> String {
        defer { shown = lines }
        var text = shown == nil ? Sequence.eraseAll : ""
        let before = shown ?? []
        for (row, line) in lines.enumerated() where row >= before.count || before[row] != line {
            // The erasure comes first: after a line of full width it would remove the last character.
            text += Sequence.line(row) + Sequence.eraseToEndOfLine + line
        }
        if before.count > lines.count { text += Sequence.line(lines.count) + Sequence.eraseBelow }
        return text.isEmpty ? "" : Sequence.begin + text + Sequence.end
    }

    /// Whether standard output is a terminal that can show frames; otherwise programs write lines.
    package static func isUsable(_ environment: Environment = Environment()) -> Bool {
        Terminal.isTerminal(STDOUT_FILENO) && environment.terminalCanMove
    }

    /// The size of the terminal at standard output; 80 by 24 if it is unknown.
    package static var size: Terminal.Size {
        Terminal.size(of: STDOUT_FILENO) ?? Terminal.Size(columns: 80, rows: 24)
    }
}
