/// A bar of signal strength: filled up to the mean, lighter up to the maximum.
struct SignalBar {
    /// The dBm of an empty and a full bar.
    static let range = -100.0 ... -40.0

    let width: Int
    /// Block characters instead of ASCII.
    let unicode: Bool

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
