import Primitives

/// A line with the number of gateways that have answered: `[####----] 120 of 200 gateways, 12 s left`.
struct ProgressBar {
    let done: Int
    let total: Int
    /// The time to the deadline.
    let left: Duration

    private static let widest = 40
    /// A narrower bar is left out.
    private static let narrowest = 4

    /// The line in at most `width` columns.
    func text(width: Int, unicode: Bool) -> String {
        let seconds = max(.zero, left).components.seconds
        let words = " \(done.grouped) of \(count(total, "gateway")), \(seconds) s left"
        let room = min(Self.widest, width - words.count - 2)
        guard room >= Self.narrowest else { return String(words.dropFirst().prefix(max(0, width))) }
        let filled = total > 0 ? min(room, room * max(0, done) / total) : 0
        return "["
            + String(repeating: unicode ? "█" : "#", count: filled)
            + String(repeating: unicode ? "·" : "-", count: room - filled) + "]" + words
    }
}
