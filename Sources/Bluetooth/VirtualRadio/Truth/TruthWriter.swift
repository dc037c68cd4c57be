import Glibc
import Posix
import Primitives

/// Writes the truth to a file while it happens.
package final class TruthWriter: Sendable {
    private enum Timing {
        /// Between two looks at the clock, in milliseconds.
        static let tick = 100
        /// After a longer suspension of the process or machine, the missed time is skipped, in microseconds.
        static let longestGap: Int64 = 60_000_000
        /// Microseconds of the truth that are in memory at once.
        static let step: Int64 = 60_000_000
    }

    private let file: Descriptor
    private let truth: Guarded<Truth>

    /// Opens the file, and empties it; `-` is standard output.
    package init(_ truth: Truth, path: String) throws(Errno) {
        self.truth = Guarded(truth)
        file = try Descriptor(from: {
            path == "-"
                ? dup(STDOUT_FILENO)
                : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        })
    }

    /// Writes until `stop` becomes readable or `deadline` (boot clock, microseconds) has come.
    package func run(stop: CInt, deadline: Int64 = .max) throws(Errno) {
        var written = Clocks.wall.microseconds
        while true {
            let happened = try Poll.wait(for: [Poll.Interest(stop)], timeout: Timing.tick)
            let now = Clocks.wall.microseconds
            if abs(now - written) > Timing.longestGap { written = now }
            if now > written {
                try writeLines(from: written, to: now)
                written = now
            }
            if !happened[0].isEmpty || Instant.now.microseconds >= deadline { return }
        }
    }

    /// Writes the truth of `start..<end` (microseconds since the Unix epoch) at once.
    package func write(from start: Int64, to end: Int64) throws(Errno) {
        var time = start
        while time < end {
            let next = min(end, time + Timing.step)
            try writeLines(from: time, to: next)
            time = next
        }
    }

    private func writeLines(from start: Int64, to end: Int64) throws(Errno) {
        let text = truth.withLock { $0.lines(from: start, to: end) }
        try file.writeAll(Array(text.utf8))
    }
}
