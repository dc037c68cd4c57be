/// A bar from weak to strong: filled up to the mean, lighter from there to the strongest.
struct SignalBar {
    /// The dBm of an empty and of a full bar: the edge of hearing, and an arm's length.
    static let range = -100.0 ... -40.0

    let width: Int
    /// With block characters, or in ASCII.
    let unicode: Bool

    /// As many characters as the bar is wide.
    func text(mean: Double?, max: Double?) -> String {
        guard let mean, let max else { return String(repeating: " ", count: width) }
        let filled = cells(mean)
        let lighter = Swift.max(0, cells(max) - filled)
        let (full, light) = unicode ? ("█", "░") : ("#", "-")
        return String(repeating: full, count: filled) + String(repeating: light, count: lighter)
            + String(repeating: " ", count: Swift.max(0, width - filled - lighter))
    }

    private func cells(_ value: Double) -> Int {
        let span = Self.range.upperBound - Self.range.lowerBound
        let part = (value - Self.range.lowerBound) / span
        return Int((Swift.min(1, Swift.max(0, part)) * Double(width)).rounded())
    }
}
