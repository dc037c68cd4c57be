import Glibc

/// SIGPIPE, which the programs and the tests ignore.
package enum BrokenPipes {
    private static let ignored: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return true
    }()

    /// Makes a write to a closed peer an error of the write, for the whole process.
    package static func ignore() { _ = ignored }
}
