import Glibc

/// What the file system has to spare where a file is (statvfs(3)).
package struct DiskSpace: Equatable, Sendable {
    /// In bytes, for ordinary users.
    package let free: Int64
    package let isReadOnly: Bool
    /// `false` for file systems of the kernel, such as `/proc`.
    package let hasBlocks: Bool

    package init(free: Int64, isReadOnly: Bool, hasBlocks: Bool = true) {
        self.free = free
        self.hasBlocks = hasBlocks
        self.isReadOnly = isReadOnly
    }

    package init(at path: String) throws(Errno) {
        var status = statvfs()
        _ = try retryingInterrupts { statvfs(path, &status) }
        let (free, overflow) = Int64(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
        self.init(
            free: overflow ? .max : free,
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0,
            hasBlocks: status.f_blocks > 0)
    }
}
