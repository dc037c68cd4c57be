import Glibc
import Posix

/// Buffered standard output or standard error. Flush it before a wait and at the end.
package struct StandardOutput: TextOutputStream {
    private let descriptor: CInt
    private var pending: [UInt8] = []
    /// The first error, such as a closed pipe or a full disk. Nothing is written after it.
    package private(set) var failure: Errno?

    private static let bufferBytes = 65_536

    package init(_ descriptor: CInt = STDOUT_FILENO) { self.descriptor = descriptor }

    package mutating func write(_ text: String) { write(bytes: text.utf8) }

    package mutating func write(bytes: some Sequence<UInt8>) {
        pending += bytes
        if pending.count >= Self.bufferBytes { flush() }
    }

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

    /// Ends the program by SIGPIPE (signal(7)), also where the signal was ignored.
    package static func endByBrokenPipe() {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }

    /// Writes one message to standard error, with the program's name.
    package static func report(_ message: String) { writeError("sightline: \(message)\n") }

    package static func writeError(_ text: String) {
        var output = StandardOutput(STDERR_FILENO)
        output.write(text)
        output.flush()
    }
}
