import Glibc

/// SIGPIPE, which the programs ignore from their start on, and a test's process has to as well.
package enum BrokenPipes {
    private static let ignored: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return true
    }()

    /// Makes a write to a peer that is gone an error of the write; for the whole process.
    package static func ignore() { _ = ignored }
}
