import Glibc

/// What a path leads to (stat(2)), as far as that matters to whoever wants to read a capture.
enum FileKind: Equatable {
    case nothing
    /// A file without a byte.
    case empty
    case file
    /// No file that can be read from any place in it: its name with an article.
    case other(String)

    /// What exists but can't be looked at is taken for a file: opening it tells more.
    init(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self = errno == ENOENT ? .nothing : .file
            return
        }
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: status.st_size == 0 ? .empty : .file
            case S_IFDIR: .other("a folder")
            case S_IFIFO: .other("a pipe")
            case S_IFSOCK: .other("a socket")
            default: .other("a device")
            }
    }
}
