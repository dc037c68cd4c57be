import Primitives

/// The wait before the next attempt: a random time below a ceiling that doubles (full jitter).
///
/// The jitter spreads the reconnections of a fleet that lost its broker.
package struct Backoff: Sendable {
    /// The ceiling of the first wait, in microseconds.
    package static let base: Int64 = 500_000
    /// The ceiling that is never exceeded, in microseconds.
    package static let cap: Int64 = 10_000_000

    private let base: Int64
    private let cap: Int64
    /// Waits since the last success.
    package private(set) var attempts = 0

    package init(base: Int64 = Self.base, cap: Int64 = Self.cap) {
        self.base = max(1, min(base, cap))
        self.cap = max(1, min(cap, Int64(Int32.max) * 1_000_000))
    }

    /// The next wait, in microseconds; `random` is any number, evenly distributed.
    package mutating func next(random: UInt64) -> Int64 {
        var ceiling = base
        for _ in 0..<min(attempts, Int64.bitWidth) where ceiling < cap {
            ceiling = min(cap, ceiling * 2)
        }
        if attempts < Int.max { attempts += 1 }
        return Int64(random.multipliedFullWidth(by: UInt64(ceiling) + 1).high)
    }

    package init(base: Duration, cap: Duration) {
        self.init(base: base.microseconds, cap: cap.microseconds)
    }

    /// The next wait; `random` is any number, evenly distributed.
    package mutating func delay(random: UInt64) -> Duration { .microseconds(next(random: random)) }

    /// Forgets the attempts that failed.
    package mutating func reset() { attempts = 0 }
}
