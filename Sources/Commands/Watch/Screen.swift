import Glibc
import Posix

/// A terminal: each table replaces the one before. The last one stays after the program.
struct Screen {
    let size: Terminal.Size
    private let output: CInt
    /// Lines of the table above the cursor.
    private var drawn = 0

    /// Control sequences (ECMA-48, and DEC's private modes as xterm has them).
    private enum Sequence {
        static let hideCursor = "\u{1b}[?25l"
        static let showCursor = "\u{1b}[?25h"
        static let wrapOff = "\u{1b}[?7l"
        static let wrapOn = "\u{1b}[?7h"
        static let eraseToEndOfLine = "\u{1b}[K"
        static let eraseBelow = "\u{1b}[J"
        static let eraseAll = "\u{1b}[H\u{1b}[2J"
        static func up(_ lines: Int) -> String { lines > 0 ? "\u{1b}[\(lines)A" : "" }
    }

    init(_ output: CInt, size: Terminal.Size) {
        self.output = output
        self.size = size
    }

    /// The current size of the terminal; 80 by 24 if it is unknown.
    static func size(of output: CInt) -> Terminal.Size {
        Terminal.size(of: output) ?? Terminal.Size(columns: 80, rows: 24)
    }

    /// The screen after a change of size, and the text that clears it: wrapped lines have moved.
    func resized() -> (screen: Screen, text: String) {
        (Screen(output, size: Self.size(of: output)), Sequence.eraseAll)
    }

    /// The text that replaces the last table by `lines`.
    mutating func redraw(_ lines: [String]) -> String {
        var text = Sequence.hideCursor + Sequence.wrapOff + "\r" + Sequence.up(drawn)
        // The erasure comes first: after a line of full width it would remove the last character.
        for line in lines { text += Sequence.eraseToEndOfLine + line + "\r\n" }
        drawn = lines.count
        return text + Sequence.eraseBelow + Sequence.wrapOn
    }

    /// The text that restores the cursor and line wrapping.
    func restored() -> String { Sequence.wrapOn + Sequence.showCursor }
}
