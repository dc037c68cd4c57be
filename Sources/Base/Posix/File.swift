import Glibc
import Primitives

/// Small files, read as a whole.
package enum File {
    /// A named pipe without a writer, or a slow one, is waited for so long.
    package static let patience = Duration.seconds(5)

    /// The first bytes of a file or pipe: at most one more than `maxBytes`, so that the caller notices a longer file.
    ///
    /// - Throws: also that a pipe has sent nothing for five seconds.
    package static func contents(of path: String, maxBytes: Int) throws(Errno) -> [UInt8] {
        let file = try Descriptor.open(reading: path, waits: false)
        return try contents(of: file, maxBytes: maxBytes, patience: patience)
    }

    /// - Parameter patience: how long a pipe may send nothing; `nil` waits without limit.
    package static func contents(
        of file: borrowing Descriptor, maxBytes: Int, patience: Duration? = nil
    ) throws(Errno) -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let number = file.rawValue
        while contents.count <= maxBytes {
            if let patience { try wait(for: number, until: .now + patience) }
            let read = chunk.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
            guard let count = try read.get(), count > 0 else { break }
            contents += chunk.prefix(min(count, maxBytes + 1 - contents.count))
        }
        return contents
    }

    private static func wait(for descriptor: CInt, until end: Instant) throws(Errno) {
        // A signal ends a wait early.
        while try Poll.wait(
            for: [.init(descriptor)], timeout: Int((end - .now).milliseconds)) == [[]]
        {
            guard .now < end else { throw .timedOut }
        }
    }
}
