import Facts

/// The powers of one tag after the other in a second, at all gateways. The caller takes the tags in ascending order.
struct TagPowers {
    private let seconds: [GatewaySecond]
    /// By gateway: the first of its levels whose tag was not passed.
    private var next: [Int]
    /// Of the last tag: dBm by gateway, `nil` where it did not hear the tag.
    private(set) var powers: [Double?]
    /// Of the last tag: the most senders that a gateway heard.
    private(set) var senders = 0

    init(_ seconds: [GatewaySecond]) {
        self.seconds = seconds
        next = [Int](repeating: 0, count: seconds.count)
        powers = [Double?](repeating: nil, count: seconds.count)
    }

    mutating func go(to tag: Tag) {
        senders = 0
        for gateway in seconds.indices {
            powers[gateway] = nil
            while let level = level(gateway), level.tag < tag { next[gateway] += 1 }
            guard let level = level(gateway), level.tag == tag else { continue }
            senders = max(senders, level.senders)
            powers[gateway] = level.power
        }
    }

    private func level(_ gateway: Int) -> GatewaySecond.Level? {
        let index = next[gateway]
        return index < seconds[gateway].levels.count ? seconds[gateway].levels[index] : nil
    }
}
