import Glibc

/// Identifies a version of a file: it differs after every write or replacement (inode(7)).
package struct FileStamp: Equatable, Sendable {
    private let file: FileIdentity
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Of the file at `path`; `nil` where there is none that can be looked at (stat(2)).
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        file = FileIdentity(status)
        size = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}

/// Which file it is, whatever it contains (inode(7)).
package struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Of the file at `path`; `nil` where there is none that can be looked at (stat(2)).
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    fileprivate init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
