import Posix

/// How long a test waits for something before it says that it did not happen.
package struct Deadline: Sendable {
    private let end: Int64

    package init(in seconds: Double = 10) { end = Clocks.boot + Int64(seconds * 1_000_000) }

    package var hasPassed: Bool { Clocks.boot >= end }

    /// What is left, in milliseconds.
    package var milliseconds: Int { max(0, Int((end - Clocks.boot) / 1000)) }
}
