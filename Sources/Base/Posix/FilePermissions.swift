import Glibc

/// The owner, group and mode of a file or folder (inode(7)).
package struct FilePermissions: Equatable, Sendable {
    /// The access that an account needs.
    package struct Access: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let read = Access(rawValue: 4)
        package static let write = Access(rawValue: 2)
        /// Of a folder: to reach what is in it.
        package static let enter = Access(rawValue: 1)
    }

    package let mode: UInt32
    package let owner: UInt32
    package let group: UInt32

    package init(mode: UInt32, owner: UInt32, group: UInt32) {
        self.mode = mode
        self.owner = owner
        self.group = group
    }

    /// Looks at what is at `path` (stat(2)).
    package init(of path: String) throws(Errno) {
        var status = stat()
        _ = try retryingInterrupts { stat(path, &status) }
        self.init(mode: status.st_mode, owner: status.st_uid, group: status.st_gid)
    }

    package var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    package var isFile: Bool { mode & S_IFMT == S_IFREG }
    package var isSocket: Bool { mode & S_IFMT == S_IFSOCK }

    /// Whether the mode grants the account all of `access`. Of owner, group and others, the first
    /// that matches decides.
    package func allows(_ access: Access, to account: Account) -> Bool {
        if account.user == 0 { return true }
        let shift: UInt32 = account.user == owner ? 6 : account.groups.contains(group) ? 3 : 0
        return mode >> shift & access.rawValue == access.rawValue
    }
}

extension Account {
    /// Why the account has no such access to the file at `path`; `nil` when it has.
    ///
    /// Nothing is opened or written. For this process the kernel decides (faccessat(2)). For other
    /// accounts the modes of the file and its folders decide; access-control lists are ignored.
    package func failure(of access: FilePermissions.Access, at path: String) -> Errno? {
        do throws(Errno) {
            if user == geteuid() {
                let mode = CInt(access.rawValue)
                _ = try retryingInterrupts { faccessat(AT_FDCWD, path, mode, AT_EACCESS) }
                return nil
            }
            var folder = File.folder(of: path)
            while folder != "." {
                guard try FilePermissions(of: folder).allows(.enter, to: self) else {
                    return .permissionDenied
                }
                if folder == "/" { break }
                folder = File.folder(of: folder)
            }
            let isAllowed = try FilePermissions(of: path).allows(access, to: self)
            if isAllowed, access.contains(.write), try DiskSpace(at: path).isReadOnly {
                return .readOnlyFileSystem
            }
            return isAllowed ? nil : .permissionDenied
        } catch {
            return error
        }
    }
}
