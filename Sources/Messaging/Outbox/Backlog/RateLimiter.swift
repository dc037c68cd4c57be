import Primitives

/// The sending times of the backlog: a rate with jitter, and a random start, so that gateways of a fleet do not start together.
struct RateLimiter {
    /// The earliest time of the next batch; `nil` before the first batch of a connection.
    private(set) var due: Instant?
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Whether a batch can be sent now. The first one of a connection waits for a random time.
    mutating func isDue(at now: Instant) -> Bool {
        let due = due ?? now + random(upTo: OutboxLimits.backlogSpread)
        self.due = due
        return due <= now
    }

    /// Counts a sent batch: the next one follows after 50 % to 150 % of the rate's period.
    mutating func sent(perSecond: Int, at now: Instant) {
        let period = Duration.microseconds(1_000_000 / max(1, perSecond))
        // A late batch shortens the next wait by one period at most.
        due = max(due ?? now, now - period) + period / 2 + random(upTo: period)
    }

    mutating func connectionLost() { due = nil }

    /// A random duration, from SplitMix64 (its state is one word).
    private mutating func random(upTo limit: Duration) -> Duration {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        word ^= word >> 31
        let steps = UInt64(limit.microseconds) + 1
        return .microseconds(Int64(truncatingIfNeeded: word.multipliedFullWidth(by: steps).high))
    }
}
