import Glibc
import Posix

/// The program's standard output, on which several threads write whole lines.
final class StandardOutput: Sendable {
    private let turn = Guarded(())

    /// How long a reader that has let its pipe run full may take to read on, in milliseconds. After that the line is
    /// lost: a radio does not stand still for ever because nobody reads what it says.
    private static let patience = 5000

    /// Writes a line at once.
    func write(_ line: String) {
        turn.withLock { _ in
            let interest = Poll.Interest(STDOUT_FILENO, .output)
            let happened = try? Poll.wait(for: [interest], timeout: Self.patience)
            if happened?.first?.contains(.output) == true { say(line) }
        }
    }
}
