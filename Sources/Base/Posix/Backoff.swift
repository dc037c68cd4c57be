import Primitives

/// The delay before the next attempt: a random time below a ceiling that doubles (full jitter).
///
/// The jitter spreads the reconnections of a fleet that lost its broker.
package struct Backoff: Sendable {
    /// The first ceiling.
    private let base: Duration
    /// The last ceiling.
    private let cap: Duration
    /// Delays since the last success.
    package private(set) var attempts = 0

    package init(base: Duration = .milliseconds(500), cap: Duration = .seconds(10)) {
        self.cap = min(max(cap, .microseconds(1)), .seconds(Int32.max))
        self.base = min(max(base, .microseconds(1)), self.cap)
    }

    /// The next delay; `random` is any number, evenly distributed.
    package mutating func delay(random: UInt64) -> Duration {
        var ceiling = base
        for _ in 0..<min(attempts, Int64.bitWidth) where ceiling < cap {
            ceiling = min(cap, ceiling * 2)
        }
        if attempts < Int.max { attempts += 1 }
        let values = UInt64(ceiling.microseconds) + 1
        return .microseconds(Int64(random.multipliedFullWidth(by: values).high))
    }

    /// Returns to the first ceiling after a success.
    package mutating func reset() { attempts = 0 }
}
