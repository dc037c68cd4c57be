/// Pairs of gateways that are far apart, learnt from the tags themselves.
///
/// A tag next to one gateway is faint at a distant one. Where one identity is next to both in the same second, several
/// devices send it.
struct DistantGateways {
    /// Seconds in which a tag was next to the first gateway of a pair, and its mean level at the second.
    private var pairs: [(seconds: Double, level: Double)]
    private let count: Int

    /// Decibels above the close level from which a tag is next to a gateway.
    private static let near = -4.0
    /// The mean level of such tags at a distant gateway.
    private static let faint = -12.0
    /// Seconds before a pair is judged.
    private static let enough = 300.0
    /// Seconds that the mean remembers.
    private static let longest = 20_000.0

    init(gateways count: Int) {
        self.count = count
        pairs = Array(repeating: (0, HeldLevel.floor), count: count * count)
    }

    /// Takes the levels of one tag in a second, by gateway; only gateways that hear.
    ///
    /// - Returns: whether the tag is next to two distant gateways.
    mutating func on(_ levels: [HeldLevel], _ isHeard: [Bool]) -> Bool {
        var isApart = false
        for first in 0..<count where isHeard[first] && levels[first].value >= Self.near {
            for second in 0..<count where second != first && isHeard[second] {
                isApart = isApart || levels[second].value >= Self.near && isDistant(first, second)
                learn(first * count + second, levels[second].value)
            }
        }
        return isApart
    }

    private func isDistant(_ first: Int, _ second: Int) -> Bool {
        [first * count + second, second * count + first].allSatisfy { pair in
            pairs[pair].seconds >= Self.enough && pairs[pair].level <= Self.faint
        }
    }

    private mutating func learn(_ pair: Int, _ level: Double) {
        let seconds = min(pairs[pair].seconds + 1, Self.longest)
        pairs[pair] = (seconds, pairs[pair].level + (level - pairs[pair].level) / seconds)
    }
}
