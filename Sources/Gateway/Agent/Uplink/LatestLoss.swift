import Primitives

/// When messages were last refused or lost, which their counters do not tell.
struct LatestLoss {
    private var count: UInt64
    /// `nil` before the first loss, and if the clock was not set at the last one.
    private(set) var at: UnixTime?

    /// - Parameter count: the messages that were lost before.
    init(after count: UInt64) { self.count = count }

    /// - Parameters:
    ///   - count: all messages that were refused or lost.
    ///   - wall: the wall clock; `nil` if it is not set.
    mutating func on(_ count: UInt64, wall: @autoclosure () -> UnixTime?) {
        guard count != self.count else { return }
        self.count = count
        at = wall()
    }
}
