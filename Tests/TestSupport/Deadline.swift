import Glibc
import Posix

/// The end of a test's wait for an event.
package struct Deadline: Sendable {
    /// A limit in seconds that no event needs, even on a machine with many other jobs.
    package static let limit = 120.0

    private let end: Int64

    package init(in seconds: Double = limit) { end = Clocks.boot + Int64(seconds * 1_000_000) }

    /// Waits for a condition that no descriptor or thread signals.
    ///
    /// - Returns: whether it was met in time.
    package static func wait(
        in seconds: Double = limit, until isMet: () throws -> Bool
    ) rethrows -> Bool {
        let end = Deadline(in: seconds)
        while try !isMet() {
            if end.hasPassed { return false }
            usleep(2000)
        }
        return true
    }

    package var hasPassed: Bool { Clocks.boot >= end }

    /// The remaining time in milliseconds.
    package var milliseconds: Int { max(0, Int((end - Clocks.boot) / 1000)) }
}
