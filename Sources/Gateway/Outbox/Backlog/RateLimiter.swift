import Primitives

/// The sending times of the backlog: a rate with jitter, and a random start, so that gateways of a fleet do not start together.
struct RateLimiter {
    /// The earliest time of the next batch; `nil` before the first batch of a connection.
    private(set) var due: Instant?
    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

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

    private mutating func random(upTo limit: Duration) -> Duration {
        .microseconds(Int64.random(in: 0...max(0, limit.microseconds), using: &generator))
    }
}
