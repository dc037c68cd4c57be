import Glibc

/// Small files, read as a whole.
package enum File {
    /// The first bytes of a file or pipe: at most one more than `maxBytes`, so that the caller notices a longer file.
    package static func contents(of path: String, maxBytes: Int) throws(Errno) -> [UInt8] {
        try contents(of: try Descriptor.open(reading: path), maxBytes: maxBytes)
    }

    package static func contents(
        of file: borrowing Descriptor, maxBytes: Int
    ) throws(Errno) -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let number = file.rawValue
        while contents.count <= maxBytes {
            let read = chunk.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
            guard let count = try read.get(), count > 0 else { break }
            contents += chunk.prefix(min(count, maxBytes + 1 - contents.count))
        }
        return contents
    }
}
