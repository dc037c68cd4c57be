import CLinux
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

/// Whether a file can be written, found out without a trace.
extension File {
    /// Why a file of `bytes` can't be made in a folder; `nil` if it can.
    ///
    /// The attempt leaves no trace: its file has no name, and its room is reserved, not written (`O_TMPFILE` in open(2),
    /// fallocate(2)). File systems without such files only tell the access rights.
    package static func failure(ofWritingIn folder: String, bytes: Int = 65_536) -> Errno? {
        guard access(folder, W_OK | X_OK) == 0 else { return Errno.current }
        do throws(Errno) {
            let file = try Descriptor(from: { sightline_open_unnamed(folder) })
            let number = file.rawValue
            _ = try retryingInterrupts { fallocate(number, 0, 0, off_t(bytes)) }
            return nil
        } catch {
            return [.noSpace, .quotaExceeded, .fileTooLarge, .readOnlyFileSystem, .inputOutput]
                .contains(error) ? error : nil
        }
    }

    /// Why a file can't be written; `nil` if it can, or is missing (access(2)).
    package static func failure(ofWriting path: String) -> Errno? {
        guard access(path, W_OK) != 0 else { return nil }
        let error = Errno.current
        return error == .noSuchFile ? nil : error
    }
}

extension File {
    /// Replaces the contents of a file, wholly or not at all, even when the power fails.
    ///
    /// The bytes go to a temporary file beside it, which is flushed and renamed (fsync(2),
    /// rename(2)). Only the owner may read it.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(Errno) {
        let draft = path + ".new"
        do throws(Errno) {
            let file = try new(draft)
            try file.writeAll(bytes)
            try file.flush()
            try rename(draft, to: path)
        } catch {
            unlink(draft)
            throw error
        }
        try Descriptor.open(reading: folder(of: path)).flush()
    }

    /// Replaces a file that others may read, without a flush. A reader sees all old or all new
    /// bytes while the power stays on.
    ///
    /// The folder may be writable by others: their file in the temporary file's place is removed,
    /// never followed.
    package static func publish(_ bytes: [UInt8], at path: String) throws(Errno) {
        let draft = path + ".new"
        do throws(Errno) {
            let file = try new(draft)
            try file.writeAll(bytes)
            // Whatever the umask is: a service's is mostly strict.
            let number = file.rawValue
            _ = try retryingInterrupts { fchmod(number, 0o644) }
            try rename(draft, to: path)
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Lets only the owner read and write a file, and creates an empty one if there is none (open(2), chmod(2)).
    ///
    /// It never opens a file that exists: to close it would end the locks that this process has on it (fcntl(2)).
    package static func makePrivate(_ path: String) throws(Errno) {
        do throws(Errno) {
            _ = try Descriptor(from: {
                open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            })
        } catch {
            guard error == .fileExists else { throw error }
            // A file of another owner keeps its mode.
            chmod(path, 0o600)
        }
    }

    /// Gives a file another name, in the place of whatever has it (rename(2)).
    package static func rename(_ path: String, to newPath: String) throws(Errno) {
        _ = try retryingInterrupts { Glibc.rename(path, newPath) }
    }

    /// Removes a file's name, if it is there (unlink(2)).
    package static func remove(_ path: String) throws(Errno) {
        do throws(Errno) {
            _ = try retryingInterrupts { unlink(path) }
        } catch {
            guard error == .noSuchFile else { throw error }
        }
    }

    /// Overwrites a file with zeros and removes it; both are on the disk afterwards (fsync(2)).
    package static func erase(_ path: String) throws(Errno) {
        do throws(Errno) {
            let file = try Descriptor(from: { open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) })
            let size = Int(clamping: size(path) ?? 0)
            try file.writeAll([UInt8](repeating: 0, count: min(size, 1 << 20)))
            try file.flush()
        } catch {
            // A file that can't be written can still be removed.
            try remove(path)
            throw error
        }
        try remove(path)
        try Descriptor.open(reading: folder(of: path)).flush()
    }

    /// Overwrites the end of a file with zeros and cuts it off; removes an empty file (ftruncate(2)). It erases a large file in
    /// parts.
    ///
    /// - Returns: whether the file is still there.
    package static func eraseEnd(of path: String, atMost bytes: Int) throws(Errno) -> Bool {
        let size = Int(clamping: size(path) ?? 0)
        guard size > 0 else {
            try remove(path)
            try Descriptor.open(reading: folder(of: path)).flush()
            return false
        }
        do throws(Errno) {
            let file = try Descriptor(from: { open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) })
            let number = file.rawValue
            let rest = max(0, size - bytes)
            _ = try retryingInterrupts { lseek(number, off_t(rest), SEEK_SET) }
            try file.writeAll([UInt8](repeating: 0, count: size - rest))
            try file.flush()
            _ = try retryingInterrupts { ftruncate(number, off_t(rest)) }
            return true
        } catch {
            // A file that can't be written can still be removed.
            try remove(path)
            return false
        }
    }

    /// Whether there is something of that name (access(2)).
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// How large the file at `path` is, in bytes; `nil` when there is none (stat(2)).
    package static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// When the file at `path` was last written, to the second; `nil` if there is none (stat(2)).
    package static func modified(_ path: String) -> UnixTime? {
        var status = stat()
        return stat(path, &status) == 0 ? UnixTime(second: Int64(status.st_mtim.tv_sec)) : nil
    }

    /// Makes a folder and those above it, as far as they are missing; only the owner may enter them (mkdir(2)).
    package static func makeFolders(_ path: String) throws(Errno) {
        do throws(Errno) {
            _ = try retryingInterrupts { mkdir(path, 0o700) }
        } catch {
            switch error {
            case .fileExists: return
            case .noSuchFile where folder(of: path) != path:
                try makeFolders(folder(of: path))
                _ = try retryingInterrupts { mkdir(path, 0o700) }
            default: throw error
            }
        }
    }

    /// Whether a folder takes another one: it is made and removed.
    package static func takesFolders(_ path: String) -> Bool {
        let name = "\(path)/.attempt-\(getpid())"
        return mkdir(name, 0o700) == 0 && rmdir(name) == 0
    }

    /// A new file that only the owner may read, in the place of a file or link of another program.
    private static func new(_ path: String) throws(Errno) -> Descriptor {
        try remove(path)
        return try Descriptor(from: {
            open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        })
    }

    /// The folder that a file is in.
    package static func folder(of path: String) -> String {
        let trimmed = path.count > 1 && path.hasSuffix("/") ? path.dropLast() : path[...]
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }

    /// The path from the root: a relative one begins in the working folder (getcwd(3)).
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }
}
