import Posix
import Primitives
import Terminal

/// A line with the number of gateways that have answered, and the first ones that have not:
/// `[####----] 120 of 200 gateways, 12 s left: store-7/gate-77, store-9/gate-92 and 78 more`.
struct ProgressBar {
    let done: Int
    let total: Int
    /// The time to the deadline.
    let left: Duration
    /// The gateways that have not answered.
    var open: [String] = []

    private static let widest = 40
    /// A narrower bar is left out.
    private static let narrowest = 4

    /// The line in at most `width` columns.
    func text(width: Int, unicode: Bool) -> String {
        let seconds = max(.zero, left).components.seconds
        let counts = " \(done.grouped) of \(count(total, "gateway")), \(seconds) s left"
        // Names take the room of the bar beyond its least width.
        let names = open.isEmpty ? "" : ": \(open.firstFew)"
        let least = Self.narrowest + 2 + counts.count + names.count
        let words = counts + (least <= width ? names : "")
        let room = min(Self.widest, width - words.count - 2)
        guard room >= Self.narrowest else { return String(words.dropFirst().prefix(max(0, width))) }
        let filled = total > 0 ? min(room, room * max(0, done) / total) : 0
        return "["
            + String(repeating: unicode ? "█" : "#", count: filled)
            + String(repeating: unicode ? "·" : "-", count: room - filled) + "]" + words
    }
}

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
