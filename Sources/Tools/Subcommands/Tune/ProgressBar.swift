import Primitives

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
