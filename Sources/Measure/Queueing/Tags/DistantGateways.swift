/// Pairs of gateways that are far apart, learnt from the tags themselves.
///
/// A tag next to one gateway is faint at a distant one. Where one identity is next to both in the same second, several
/// devices send it.
struct DistantGateways {
    /// Tags next to the first gateway of a pair, and their levels at the second.
    private struct Pair {
        var seconds = 0.0
        /// Their mean.
        var level = HoldFilter.floor
        /// Those of the present second. A sum of whole numbers is the same in any order of the tags.
        var tags = 0.0
        var sum: Int64 = 0
    }

    private var pairs: [Pair]
    private let gateways: Range<GatewayIndex>

    /// Decibels above the close level from which a tag is next to a gateway. Chosen, as the numbers of seconds are.
    private static let near = -4.0
    /// The mean level of such tags at a distant gateway: that of 8 m. Between nearer ones, one tag may be loud at both.
    private static let faint = -24.0
    /// Seconds before a pair is judged.
    private static let enough = 300.0
    /// Seconds that the mean remembers.
    private static let longest = 20_000.0
    /// Of a decibel.
    private static let parts = 1000.0

    init(gateways count: Int) {
        gateways = GatewayIndex(0)..<GatewayIndex(count)
        pairs = Array(repeating: Pair(), count: count * count)
    }

    /// Takes the levels of one tag in a second, by gateway; only gateways that hear.
    ///
    /// - Returns: whether the tag is next to two distant gateways.
    mutating func on(_ levels: [HoldFilter], _ isHeard: [Bool]) -> Bool {
        var isApart = false
        for first in gateways where isHeard[first] && levels[first].value >= Self.near {
            for second in gateways where second != first && isHeard[second] {
                isApart = isApart || levels[second].value >= Self.near && isDistant(first, second)
                note(pair(first, second), levels[second].value)
            }
        }
        return isApart
    }

    private func pair(_ first: GatewayIndex, _ second: GatewayIndex) -> Int {
        first.number * gateways.count + second.number
    }

    private func isDistant(_ first: GatewayIndex, _ second: GatewayIndex) -> Bool {
        [pair(first, second), pair(second, first)].allSatisfy { pair in
            pairs[pair].seconds >= Self.enough && pairs[pair].level <= Self.faint
        }
    }

    private mutating func note(_ pair: Int, _ level: Double) {
        pairs[pair].tags += 1
        pairs[pair].sum += Int64((level * Self.parts).rounded())
    }

    /// Learns from the tags of the second.
    mutating func endSecond() {
        for pair in pairs.indices where pairs[pair].tags > 0 {
            let tags = pairs[pair].tags
            let mean = Double(pairs[pair].sum) / Self.parts / tags
            pairs[pair].seconds = min(pairs[pair].seconds + tags, Self.longest)
            pairs[pair].level += (mean - pairs[pair].level) * tags / pairs[pair].seconds
            (pairs[pair].tags, pairs[pair].sum) = (0, 0)
        }
    }
}
