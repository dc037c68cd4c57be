import Primitives
import Sightings

/// The delay of batches that an unset clock stamped, until the clock is set or a limit has passed.
///
/// The limit counts from the first connection to a broker. The delay ends once: a clock that is lost later delays nothing.
struct ClockSyncDelay {
    private var limit: Duration
    /// The end of the limit; `nil` before the first connection.
    private var end: Instant?
    private var isOver: Bool

    init(_ limit: Duration) {
        self.limit = limit
        isOver = limit <= .zero
    }

    /// Whether batches have to wait, now that a broker is connected.
    ///
    /// - Parameter clock: `nil` if the source of the batches stamps them itself; then nothing waits.
    mutating func applies(_ clock: Stamp?, at now: Instant) -> Bool {
        guard !isOver else { return false }
        let end = end ?? now + limit
        self.end = end
        isOver = clock?.clock != .unsynced || end <= now
        return !isOver
    }

    /// Whether batches may still have to wait.
    var isPossible: Bool { !isOver }

    /// The end of a delay that has begun.
    var deadline: Instant? { isOver ? nil : end }

    /// Changes the limit. A delay that has begun counts from its begin.
    mutating func change(to limit: Duration) {
        end = end.map { $0 + (limit - self.limit) }
        self.limit = limit
        if limit <= .zero { isOver = true }
    }

    mutating func cancel() { isOver = true }
}
