import Posix

/// A folder of a program's state, looked at without changes.
package struct StateFolder: Equatable {
    package var path: String
    /// The folder itself, or the first parent that exists.
    package var nearest: String
    /// The error of a write to `nearest` by the program's user.
    package var failure: Errno?
    package var isFolder = true
    /// Whether its file system takes files, unlike `/proc`.
    package var takesFiles = true
    package var space: DiskSpace?
    /// The bytes by which its content can still grow.
    package var wanted: Int64

    package init(
        path: String, nearest: String, failure: Errno? = nil, isFolder: Bool = true,
        space: DiskSpace? = nil, wanted: Int64
    ) {
        self.path = path
        self.nearest = nearest
        self.failure = failure
        self.isFolder = isFolder
        self.space = space
        self.wanted = wanted
    }

    /// Looks at the folder at `path` with the eyes of `account`.
    package init(_ path: String, of account: Account, wanted: Int64) {
        var nearest = path
        while !File.exists(nearest), File.folder(of: nearest) != nearest {
            nearest = File.folder(of: nearest)
        }
        self.init(
            path: path, nearest: nearest,
            failure: account.failure(of: [.read, .write, .enter], at: nearest),
            isFolder: (try? FilePermissions(of: nearest))?.isFolder ?? true,
            space: try? DiskSpace(at: nearest), wanted: wanted)
        // Some network file systems have files and count no blocks: only an attempt tells.
        takesFiles = space?.hasBlocks != false || File.takesFolders(nearest)
    }

    /// Why no user can have state there; `nil` if one can.
    package var impossibility: String? {
        if !isFolder {
            return "\(path): \(nearest) is not a folder: move it, or correct stateDirectory"
        }
        return takesFiles
            ? nil
            : "\(path): the file system of \(nearest) takes no files: correct stateDirectory"
    }
}
