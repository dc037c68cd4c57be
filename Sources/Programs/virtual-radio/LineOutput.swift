import Glibc
import Posix

/// The program's standard output, on which several threads write whole lines.
final class StandardOutput: Sendable {
    private let descriptor = Guarded(STDOUT_FILENO)

    /// How long the reader of a full pipe may take, in milliseconds. After that the line is
    /// dropped: the radio continues.
    private static let patience = 5000

    /// Writes a line without buffering.
    func write(_ line: String) {
        descriptor.withLock { descriptor in
            let interest = Poll.Interest(descriptor, .output)
            let happened = try? Poll.wait(for: [interest], timeout: Self.patience)
            if happened?.first?.contains(.output) == true { say(line) }
        }
    }
}
