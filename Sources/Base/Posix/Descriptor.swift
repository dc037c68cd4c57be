import CLinux
import Glibc

/// An owned file descriptor, closed with its owner.
package struct Descriptor: ~Copyable, Sendable {
    package let rawValue: CInt

    /// Takes ownership of an open descriptor.
    package init(owning rawValue: CInt) { self.rawValue = rawValue }

    /// Takes ownership of what a system call returned.
    package init(from call: () -> CInt) throws(Errno) {
        rawValue = try retryingInterrupts(call)
    }

    deinit { _ = Glibc.close(rawValue) }

    /// Closes it now rather than at the end of the owner's life (close(2)).
    package consuming func close() {}

    /// Opens a file for reading (open(2)).
    ///
    /// - Parameter waits: whether it waits for the writer of a named pipe, and later for its bytes.
    package static func open(
        reading path: String, waits: Bool = true
    ) throws(Errno) -> Descriptor {
        let flags = O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK)
        return try Descriptor(from: { Glibc.open(path, flags) })
    }

    /// Opens a regular file for reading; anything else is an error (open(2)).
    package static func open(regularFile path: String) throws(Errno) -> Descriptor {
        // Opening a pipe would wait for its writer.
        let file = try open(reading: path, waits: false)
        let mode = try file.status().st_mode & S_IFMT
        guard mode == S_IFREG else {
            throw mode == S_IFDIR ? Errno(rawValue: EISDIR) : .invalidArgument
        }
        return file
    }

    /// A file with these bytes, which is in memory only (memfd_create(2)).
    package static func inMemory(_ bytes: [UInt8]) throws(Errno) -> Descriptor {
        let file = try Descriptor(from: { sightline_open_in_memory("sightline") })
        try file.writeAll(bytes)
        return file
    }

    /// Leaves it open until the process ends.
    package consuming func leaveOpen() -> CInt {
        let number = rawValue
        discard self
        return number
    }

    /// The bytes of the file (fstat(2)).
    package func size() throws(Errno) -> Int { Int(try status().st_size) }

    private func status() throws(Errno) -> stat {
        let number = rawValue
        var status = stat()
        _ = try retryingInterrupts { fstat(number, &status) }
        return status
    }

    /// A part of a file; the end of the file makes it shorter (pread(2)).
    package func bytes(at offset: Int, count: Int) throws(Errno) -> [UInt8] {
        let number = rawValue
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = try retryingInterrupts {
                bytes.withUnsafeMutableBytes { buffer in
                    pread(
                        number, buffer.baseAddress.map { $0 + filled }, count - filled,
                        off_t(offset + filled))
                }
            }
            guard read > 0 else { break }
            filled += read
        }
        return filled == count ? bytes : Array(bytes[..<filled])
    }

    /// Opens a file for reading and writing (open(2)).
    package static func open(updating path: String) throws(Errno) -> Descriptor {
        try Descriptor(from: { Glibc.open(path, O_RDWR | O_CLOEXEC) })
    }

    /// Gives a shorter file its length, then replaces its bytes by zeros; a program that has mapped it may go on
    /// (ftruncate(2), pwrite(2)).
    package func clear(bytes: Int) throws(Errno) {
        let number = rawValue
        let before = try size()
        if before < bytes { _ = try retryingInterrupts { ftruncate(number, off_t(bytes)) } }
        let zeros = [UInt8](repeating: 0, count: before)
        var written = 0
        while written < before {
            let rest = zeros[written...]
            written += try retryingInterrupts {
                rest.withUnsafeBytes { pwrite(number, $0.baseAddress, $0.count, off_t(written)) }
            }
        }
    }

    /// A copy of the descriptor of the standard input (fcntl(2)).
    package static func standardInput() throws(Errno) -> Descriptor {
        try Descriptor(from: { fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) })
    }

    /// Waits until what was written is on the disk, or the folder's names are (fsync(2)).
    package func flush() throws(Errno) {
        let number = rawValue
        _ = try retryingInterrupts { fsync(number) }
    }

    /// Reads the available bytes, up to the buffer's size (read(2)).
    ///
    /// - Returns: the number of bytes. Zero is the end of the file or stream; `nil` means that a
    ///   non-blocking descriptor has none.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int? {
        try Self.read(rawValue, into: buffer).get()
    }

    /// The same for a descriptor that is only borrowed by number, as a result that passes through rethrowing closures.
    package static func read(
        _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) -> Result<Int?, Errno> {
        do throws(Errno) {
            return .success(
                try retryingInterrupts { Glibc.read(descriptor, buffer.baseAddress, buffer.count) })
        } catch {
            return error == .wouldBlock ? .success(nil) : .failure(error)
        }
    }

    /// Writes all of `bytes`, waiting where a non-blocking descriptor is full (write(2), poll(2)).
    package func writeAll(_ bytes: [UInt8]) throws(Errno) {
        try Self.writeAll(bytes, to: rawValue)
    }

    /// The same for a descriptor that is only borrowed by number.
    package static func writeAll(_ bytes: [UInt8], to descriptor: CInt) throws(Errno) {
        var written = 0
        while written < bytes.count {
            let result = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
            }
            guard result == -1 else {
                written += result
                continue
            }
            let error = Errno.current
            switch error {
            case .interrupted: continue
            case .wouldBlock: _ = try Poll.wait(for: [Poll.Interest(descriptor, .output)])
            default: throw error
            }
        }
    }
}
