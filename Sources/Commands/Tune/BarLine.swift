import CommandSupport
import Posix

/// The last line of a terminal, on which a progress bar is drawn again and again.
struct BarLine {
    private let descriptor: CInt
    private let unicode: Bool
    private var drawn = ""
    private var drawnAt: Int64 = 0
    /// It was asked for again a moment after it was drawn.
    private var isDue = false

    /// To the line's beginning, and erase it (ECMA-48 8.3.41).
    private static let erasure = "\r\u{1b}[K"
    /// It shows seconds, in microseconds.
    private static let interval: Int64 = 1_000_000
    /// More often than this nobody sees, in microseconds.
    private static let pause: Int64 = 100_000

    init(_ descriptor: CInt, unicode: Bool) {
        self.descriptor = descriptor
        self.unicode = unicode
    }

    /// When it wants to be drawn again.
    var next: Int64 { drawnAt + (isDue ? Self.pause : Self.interval) }

    /// Draws the bar, unless it was drawn a moment ago or shows the same.
    mutating func draw(_ bar: ProgressBar?, at now: Int64) {
        guard let bar else { return }
        isDue = now < drawnAt + Self.pause && !drawn.isEmpty
        guard !isDue else { return }
        drawnAt = now
        // One column less: in the last one, some terminals break the line.
        let width = (Terminal.size(of: descriptor)?.columns ?? 80) - 1
        let text = bar.text(width: width, unicode: unicode)
        guard text != drawn else { return }
        drawn = text
        write(Self.erasure + text)
    }

    mutating func erase() {
        guard !drawn.isEmpty else { return }
        drawn = ""
        write(Self.erasure)
    }

    private func write(_ text: String) {
        var output = StandardOutput(descriptor)
        output.write(text)
        output.flush()
    }
}
