import Glibc

/// A folder that one process has for itself, as long as it lives and holds this (flock(2)).
///
/// The lock is the folder's own: nothing is written, and the kernel takes it away with the process, however that ends.
package final class FolderLock: Sendable {
    package enum Failure: Error, Equatable, Sendable {
        /// Another process has it; its number, where the kernel lets us know.
        case taken(by: Int32?)
        /// It can't be opened or locked.
        case unusable(Errno)
    }

    private let folder: Descriptor
    private let device: dev_t
    private let inode: ino_t

    /// Locks the folder at `path`, which must exist.
    package init(_ path: String) throws(Failure) {
        let folder = try Self.opened(path)
        let number = folder.rawValue
        var status = stat()
        do throws(Errno) {
            _ = try retryingInterrupts { fstat(number, &status) }
        } catch {
            throw .unusable(error)
        }
        do throws(Errno) {
            _ = try retryingInterrupts { flock(number, LOCK_EX | LOCK_NB) }
        } catch {
            throw error == .wouldBlock
                ? .taken(by: Self.holder(of: status.st_ino)) : .unusable(error)
        }
        self.folder = folder
        device = status.st_dev
        inode = status.st_ino
    }

    /// Closing the folder is not enough: a child between fork(2) and execve(2) has it open, too.
    deinit { _ = flock(folder.rawValue, LOCK_UN) }

    private static func opened(_ path: String) throws(Failure) -> Descriptor {
        do throws(Errno) {
            return try Descriptor(from: { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        } catch {
            throw .unusable(error)
        }
    }

    /// Whether it is the folder at `path`, by whatever name.
    package func covers(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }

    /// The process that holds the lock of the folder at `path`. The lock itself stays untouched.
    ///
    /// `nil` when the folder is unlocked or the kernel hides the holder.
    package static func holder(of path: String) -> Int32? {
        var status = stat()
        return stat(path, &status) == 0 ? holder(of: status.st_ino) : nil
    }

    /// The process that has locked a file, as the kernel lists it:
    /// `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF` (proc(5), /proc/locks).
    private static func holder(of inode: ino_t) -> Int32? {
        guard let bytes = try? File.contents(of: "/proc/locks", maxBytes: 1 << 20) else {
            return nil
        }
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", words[3] == "WRITE",
                words[5].split(separator: ":").last == "\(inode)", let process = Int32(words[4]),
                process > 0
            else { continue }
            return process
        }
        return nil
    }
}

/// Folders, as lists of names.
package enum Folder {
    /// The names in the folder at `path`, without `.` and `..`; empty when it is unreadable
    /// (readdir(3)).
    package static func names(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
