import Primitives

/// A line that shows how many gateways have answered: `[####----] 120 of 200 gateways, 12 s left`.
struct ProgressBar {
    let done: Int
    let total: Int
    /// In microseconds; `nil` while nobody can say.
    var left: Int64?

    private static let widest = 40
    /// Room for less than this is not worth brackets.
    private static let narrowest = 4

    /// The line in at most `width` columns.
    func text(width: Int, unicode: Bool) -> String {
        var words = " \(done.grouped) of \(count(total, "gateway"))"
        if let left { words += ", \(max(0, left) / 1_000_000) s left" }
        let room = min(Self.widest, width - words.count - 2)
        guard room >= Self.narrowest else { return String(words.dropFirst().prefix(max(0, width))) }
        let filled = total > 0 ? min(room, room * max(0, done) / total) : 0
        return "["
            + String(repeating: unicode ? "█" : "#", count: filled)
            + String(repeating: unicode ? "·" : "-", count: room - filled) + "]" + words
    }
}
