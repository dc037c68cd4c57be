import Posix
import Primitives
import Terminal

/// The last line of a terminal, with a progress bar.
struct BarLine {
    private let descriptor: CInt
    private let unicode: Bool
    private var drawn = ""
    private var drawnAt = Instant(microseconds: 0)
    /// `draw` was called again within `pause`.
    private var isDue = false

    /// Moves to the start of the line and erases it (ECMA-48 8.3.41).
    private static let erasure = "\r\u{1b}[K"
    /// The bar shows seconds.
    private static let interval = Duration.seconds(1)
    /// The least time between two drawings.
    private static let pause = Duration.milliseconds(100)

    init(_ descriptor: CInt, unicode: Bool) {
        self.descriptor = descriptor
        self.unicode = unicode
    }

    /// When `draw` is next due.
    var deadline: Instant { drawnAt + (isDue ? Self.pause : Self.interval) }

    /// The control sequence and text of the bar; empty unless it has changed and `pause` has passed.
    mutating func draw(_ bar: ProgressBar?, at now: Instant) -> String {
        guard let bar else { return "" }
        isDue = now < drawnAt + Self.pause && !drawn.isEmpty
        guard !isDue else { return "" }
        drawnAt = now
        // Some terminals break the line after the last column.
        let width = (Terminal.size(of: descriptor)?.columns ?? 80) - 1
        let text = bar.text(width: width, unicode: unicode)
        guard text != drawn else { return "" }
        drawn = text
        return Self.erasure + text
    }

    /// The control sequence that removes the bar; empty if none is drawn.
    mutating func erase() -> String {
        guard !drawn.isEmpty else { return "" }
        drawn = ""
        return Self.erasure
    }
}
