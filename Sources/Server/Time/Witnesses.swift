import Primitives

/// The times that gateways have lately shown, as offsets to the boot clock.
///
/// The end of a window shows that the time is at least that. A gateway that sends a backlog shows the past: the latest time that it
/// has shown counts.
struct Witnesses {
    struct Witness {
        let offset: Duration
        /// Since when it shows about this time, and until when its messages came without a long delay.
        let since: Instant
        fileprivate(set) var heard: Instant
        /// When it showed the time last.
        let shown: Instant
        fileprivate let first: Duration
    }

    private var witnesses: [String: Witness] = [:]

    /// Clocks that agree differ by less. A live message arrives within this time.
    private static let tolerance = Duration.seconds(5)
    /// Live messages come later than that when the broker or this machine is busy.
    private static let delay = Duration.seconds(60)
    /// The latest time that a gateway has shown counts for so long.
    private static let memory = Duration.seconds(600)

    /// - Returns: what counts of the gateway now.
    mutating func add(_ offset: Duration, from gateway: String, at now: Instant) -> Witness {
        let last = witnesses[gateway].flatMap { now - $0.shown < Self.memory ? $0 : nil }
        if var last, last.offset > offset + Self.tolerance {
            if last.offset <= offset + Self.delay { last.heard = now }
            witnesses[gateway] = last
            return last
        }
        // A broker that repeats a message shows a time that stands still.
        let offset = max(offset, last?.offset ?? offset)
        let same = last.flatMap { Self.agree($0.first, offset) ? $0 : nil }
        let new = Witness(
            offset: offset, since: same?.since ?? now, heard: now, shown: now,
            first: same?.first ?? offset)
        witnesses[gateway] = new
        return new
    }

    /// The gateways that have lately shown a time.
    func count(showing offset: Duration, at now: Instant) -> Int {
        witnesses.values.count {
            now - $0.shown < Self.memory && Self.agree($0.offset, offset)
        }
    }

    static func agree(_ one: Duration, _ other: Duration) -> Bool {
        let difference = one - other
        return max(difference, .zero - difference) <= tolerance
    }
}
