import Glibc
import Posix

/// A terminal on which a table is drawn again and again in the same place, and stays when the program ends.
struct Screen {
    let size: Terminal.Size
    private let output: CInt
    /// Lines of the table that stand above the cursor.
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

    /// The terminal's size now.
    static func size(of output: CInt) -> Terminal.Size {
        Terminal.size(of: output) ?? Terminal.Size(columns: 80, rows: 24)
    }

    /// The screen after a change of size: wrapped lines have moved, so that only a clean start is right.
    func resized() -> (screen: Screen, text: String) {
        (Screen(output, size: Self.size(of: output)), Sequence.eraseAll)
    }

    /// The text that puts `lines` in the place of what was drawn last.
    mutating func redraw(_ lines: [String]) -> String {
        var text = Sequence.hideCursor + Sequence.wrapOff + "\r" + Sequence.up(drawn)
        // Erased before it is written: behind a line of the full width, the last character would go.
        for line in lines { text += Sequence.eraseToEndOfLine + line + "\r\n" }
        drawn = lines.count
        return text + Sequence.eraseBelow + Sequence.wrapOn
    }

    /// The text that gives the terminal back; the table stays.
    func farewell() -> String { Sequence.wrapOn + Sequence.showCursor }
}
