import Primitives

/// The delay before the next attempt: a random time below a ceiling that doubles (full jitter).
///
/// The jitter spreads the reconnections of a fleet that lost its broker.
package struct Backoff: Sendable {
    /// The first ceiling in microseconds.
    private let base: Int64
    /// The last ceiling in microseconds.
    private let cap: Int64
    /// Delays since the last success.
    package private(set) var attempts = 0

    package init(base: Duration = .milliseconds(500), cap: Duration = .seconds(10)) {
        self.base = max(1, min(base, cap).microseconds)
        self.cap = max(1, min(cap, .seconds(Int32.max)).microseconds)
    }

    /// The next delay; `random` is any number, evenly distributed.
    package mutating func delay(random: UInt64) -> Duration {
        var ceiling = min(base, cap)
        for _ in 0..<min(attempts, Int64.bitWidth) where ceiling < cap {
            ceiling = min(cap, ceiling * 2)
        }
        if attempts < Int.max { attempts += 1 }
        return .microseconds(
            Int64(random.multipliedFullWidth(by: UInt64(ceiling) + 1).high))
    }

    /// Returns to the first ceiling after a success.
    package mutating func reset() { attempts = 0 }
}
