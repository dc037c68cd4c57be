import Glibc

/// A change of a file that a person owns. Other changes in its folder wait for the end of this one (flock(2)).
package struct FileEdit: ~Copyable {
    /// Without links (realpath(3)).
    private let path: String
    private let folder: Descriptor

    /// - Throws: `ENOENT` without the file.
    package init(of path: String) throws(Errno) {
        guard let name = realpath(path, nil) else { throw Errno.current }
        defer { free(name) }
        let path = String(cString: name)
        let folder = try Descriptor.open(reading: File.folder(of: path))
        // Some file systems have no locks.
        while flock(folder.rawValue, LOCK_EX) != 0, Errno.current == .interrupted {}
        self.path = path
        self.folder = folder
    }

    /// Replaces the contents, wholly or not at all, even when the power fails. Owner, group and mode stay, and so does a link
    /// to the file.
    ///
    /// - Throws: `EPERM` if this user can't give the file to its owner and group.
    package func replace(with bytes: [UInt8]) throws(Errno) {
        var known = stat()
        guard stat(path, &known) == 0 else { throw Errno.current }
        // A name that nobody can know before (mkstemp(3)).
        var name = Array((path + ".XXXXXX").utf8CString)
        let file = try Descriptor(from: { mkstemp(&name) })
        let draft = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        do throws(Errno) {
            try file.writeAll(bytes)
            try give(file, as: known)
            try file.flush()
            try File.rename(draft, to: path)
        } catch {
            unlink(draft)
            throw error
        }
        try folder.flush()
    }

    /// Gives the file owner, group and mode of another one (fchown(2), fchmod(2)).
    private func give(_ file: borrowing Descriptor, as known: stat) throws(Errno) {
        let number = file.rawValue
        var own = stat()
        _ = try retryingInterrupts { fstat(number, &own) }
        if own.st_uid != known.st_uid || own.st_gid != known.st_gid {
            _ = try retryingInterrupts { fchown(number, known.st_uid, known.st_gid) }
        }
        _ = try retryingInterrupts { fchmod(number, known.st_mode & 0o7777) }
    }
}
