import Glibc
import Posix
import Primitives

/// The end of a test's wait for an event.
package struct Deadline: Sendable {
    /// A limit in seconds that no event needs, even on a machine with many other jobs.
    package static let limit = 120.0

    private let end: Instant

    package init(in seconds: Double = limit) { end = .now + .seconds(seconds) }

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

    package var hasPassed: Bool { .now >= end }

    /// The remaining time in milliseconds.
    package var milliseconds: Int { max(0, Int((end - .now).milliseconds)) }
}
