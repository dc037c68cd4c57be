import Glibc
import Posix

/// Standard output, or standard error, collected in large pieces: flush before waiting and before the end.
package struct StandardOutput: TextOutputStream {
    private let descriptor: CInt
    private var pending: [UInt8] = []
    /// Nobody reads any more, or the disk is full: what went wrong.
    package private(set) var failure: Errno?

    private static let pieceBytes = 65_536

    package init(_ descriptor: CInt = STDOUT_FILENO) { self.descriptor = descriptor }

    package mutating func write(_ text: String) {
        pending += text.utf8
        if pending.count >= Self.pieceBytes { flush() }
    }

    package mutating func write(bytes: some Sequence<UInt8>) {
        pending += bytes
        if pending.count >= Self.pieceBytes { flush() }
    }

    /// Writes what is pending; after a failure, nothing is written any more.
    package mutating func flush() {
        var start = 0
        while failure == nil, start < pending.count {
            do throws(Errno) {
                start += try pending[start...].withUnsafeBytes { buffer in
                    Result { () throws(Errno) in
                        try retryingInterrupts {
                            Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                        }
                    }
                }.get()
            } catch {
                guard error == .wouldBlock else {
                    failure = error
                    break
                }
                _ = try? Poll.wait(for: [Poll.Interest(descriptor, .output)])
            }
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// Ends the program as the kernel ends one that writes where nobody reads any more (signal(7)): without a word,
    /// also where SIGPIPE was ignored.
    package static func endByBrokenPipe() {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }

    /// Says one sentence on standard error.
    package static func complain(_ sentence: String) {
        var output = StandardOutput(STDERR_FILENO)
        output.write("sightline: \(sentence)\n")
        output.flush()
    }
}
