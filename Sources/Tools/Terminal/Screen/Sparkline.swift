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
