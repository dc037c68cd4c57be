import Glibc
import Posix
import Primitives

/// Writes the truth to a file while it happens.
package final class TruthWriter: Sendable {
    private enum Timing {
        /// Between two looks at the clock, in milliseconds.
        static let tick = 100
        /// After a longer suspension of the process or machine, the missed time is skipped.
        static let longestGap: Duration = .seconds(60)
        /// The part of the truth in memory.
        static let step: Duration = .seconds(60)
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

    /// Writes until `stop` becomes readable or `deadline` (boot clock) has come.
    package func run(stop: CInt, deadline: Instant? = nil) throws(Errno) {
        var written = Clocks.wall
        while true {
            let happened = try Poll.wait(for: [Poll.Interest(stop)], timeout: Timing.tick)
            let now = Clocks.wall
            if now - written > Timing.longestGap { written = now }
            if written - now > Timing.longestGap { written = now }
            if now > written {
                try writeLines(from: written, to: now)
                written = now
            }
            if !happened[0].isEmpty || deadline.map({ .now >= $0 }) ?? false { return }
        }
    }

    /// Writes the truth of a span of the wall clock.
    package func write(from start: Instant, to end: Instant) throws(Errno) {
        var time = start
        while time < end {
            let next = min(end, time + Timing.step)
            try writeLines(from: time, to: next)
            time = next
        }
    }

    private func writeLines(from start: Instant, to end: Instant) throws(Errno) {
        let text = truth.withLock { $0.lines(from: start, to: end) }
        try file.writeAll(Array(text.utf8))
    }
}
