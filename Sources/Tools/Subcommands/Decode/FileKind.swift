import Glibc

/// The kind of a file, for a program that reads a capture (stat(2)).
enum FileKind: Equatable {
    case nothing
    case empty
    case file
    /// A file without random access; the text has an article.
    case other(String)

    /// An unreadable file is a `file`: its open(2) reports the cause.
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
