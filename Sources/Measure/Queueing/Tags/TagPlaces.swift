/// The places of the tags that are present: each tag takes one of the gateway to which it came.
///
/// Half of the places are divided evenly among the gateways, and the others are common. A flood of identities at one
/// gateway thus leaves room at the others.
struct TagPlaces {
    /// By gateway: tags that came to it.
    private var taken: [Int]
    /// Places of each gateway's own.
    private let share: Int

    /// Each tag that is present costs processor time.
    private static let all = 1_000
    private static let common = all / 2

    /// - Parameters:
    ///   - taken: the gateway of each tag that is present.
    ///   - count: the number of gateways.
    init(_ taken: some Sequence<Int>, gateways count: Int) {
        self.taken = [Int](repeating: 0, count: count)
        share = (Self.all - Self.common) / count
        for gateway in taken { self.taken[gateway] += 1 }
    }

    /// - Returns: whether there was a place for a tag that comes to a gateway.
    mutating func take(at gateway: Int) -> Bool {
        let commonTaken = taken.reduce(0) { $0 + max(0, $1 - share) }
        guard taken[gateway] < share || commonTaken < Self.common else { return false }
        taken[gateway] += 1
        return true
    }
}
