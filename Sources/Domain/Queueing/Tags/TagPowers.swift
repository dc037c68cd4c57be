/// The powers of one tag after the other in a second, at all gateways. The caller takes the tags in ascending order.
struct TagPowers {
    private let seconds: [GatewaySecond]
    /// By gateway: the first of its levels whose tag was not passed.
    private var next: [Int]

    init(_ seconds: [GatewaySecond]) {
        self.seconds = seconds
        next = [Int](repeating: 0, count: seconds.count)
    }

    /// - Returns: dBm by gateway, `nil` where it did not hear the tag; and the most senders that a gateway heard.
    mutating func take(_ tag: Tag) -> (powers: [Double?], senders: Int) {
        var senders = 0
        var powers = [Double?](repeating: nil, count: seconds.count)
        for gateway in seconds.indices {
            let levels = seconds[gateway].levels
            while next[gateway] < levels.count, levels[next[gateway]].tag < tag {
                next[gateway] += 1
            }
            guard next[gateway] < levels.count, levels[next[gateway]].tag == tag else { continue }
            senders = max(senders, levels[next[gateway]].senders)
            powers[gateway] = levels[next[gateway]].power
        }
        return (powers, senders)
    }
}
