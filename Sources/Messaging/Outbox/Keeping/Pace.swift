import Primitives

/// When the backlog's next batch may go: at a rate, with jitter, and not all of a fleet from the same moment on.
struct Pace {
    /// When the next may go; `nil` before the first of a connection.
    private(set) var due: Instant?
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Whether one may go now; the first of a connection waits for a while that nobody can foresee.
    mutating func isDue(at now: Instant) -> Bool {
        guard let due else {
            due = now.advanced(byMicroseconds: below(OutboxLimits.backlogSpread + 1))
            return due == now
        }
        return due <= now
    }

    /// One went: the next follows after half to one and a half of its share of a second.
    mutating func went(perSecond: Int, at now: Instant) {
        let share = UInt64(1_000_000 / max(1, perSecond))
        let wait = Int64(share / 2) + below(share + 1)
        // Whoever comes late catches up, but no more than a share.
        let from = max(due ?? now, now.advanced(byMicroseconds: -Int64(share)))
        due = from.advanced(byMicroseconds: wait)
    }

    /// There is no connection.
    mutating func stop() { due = nil }

    /// A number below `limit`, from a generator whose whole state is a word (SplitMix64).
    private mutating func below(_ limit: UInt64) -> Int64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        word ^= word >> 31
        return Int64(truncatingIfNeeded: word.multipliedFullWidth(by: limit).high)
    }
}
