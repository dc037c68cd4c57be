import Primitives

/// A bar of signal strength: filled up to the mean, lighter up to the maximum.
package struct SignalBar {
    /// The dBm of an empty and a full bar.
    package static let range = -100.0 ... -40.0
    /// A scale needs this width.
    package static let widths = 8...24

    package let width: Int
    /// Block characters instead of ASCII.
    let unicode: Bool

    package init(width: Int, unicode: Bool) {
        self.width = width
        self.unicode = unicode
    }

    package func text(mean: Double?, max: Double?) -> String {
        guard let mean, let max else { return String(repeating: " ", count: width) }
        let filled = cells(mean)
        let lighter = Swift.max(0, cells(max) - filled)
        let (full, light) = unicode ? ("█", "░") : ("#", "-")
        return String(repeating: full, count: filled) + String(repeating: light, count: lighter)
            + String(repeating: " ", count: Swift.max(0, width - filled - lighter))
    }

    /// The heading of a column of bars: `-100    dBm     -40`.
    package static func scale(width: Int) -> String {
        let (low, high) = ("-100", "-40")
        let unit = width >= low.count + high.count + 7 ? "dBm" : ""
        let left = (low + spaces((width - unit.count) / 2 - low.count) + unit)
        return left + high.rightAligned(Swift.max(0, width - left.count))
    }

    private static func spaces(_ count: Int) -> String {
        String(repeating: " ", count: Swift.max(0, count))
    }

    private func cells(_ value: Double) -> Int {
        let span = Self.range.upperBound - Self.range.lowerBound
        let part = (value - Self.range.lowerBound) / span
        return Int((Swift.min(1, Swift.max(0, part)) * Double(width)).rounded())
    }
}

/// Values over time as a line of blocks, or of ASCII characters that grow.
package struct Sparkline {
    /// The values of an empty and a full block.
    let range: ClosedRange<Double>
    let unicode: Bool

    private static let blocks = Array("▁▂▃▄▅▆▇█")
    private static let ascii = Array("_.-:=+*#")

    package init(_ range: ClosedRange<Double>, unicode: Bool) {
        self.range = range
        self.unicode = unicode
    }

    /// A character for each value; a space for `nil`.
    package func text(_ values: some Sequence<Double?>) -> String {
        let levels = unicode ? Self.blocks : Self.ascii
        let span = range.upperBound - range.lowerBound
        return String(
            values.map { value -> Character in
                guard let value else { return " " }
                let part = span > 0 ? (value - range.lowerBound) / span : 1
                return levels[Int(min(1, max(0, part)) * Double(levels.count - 1) + 0.5)]
            })
    }
}
