import Posix

/// An SQLite file and the files beside it: the write-ahead log (`-wal`) and its index (`-shm`).
package enum SQLiteFile {
    /// The largest log that is checked.
    private static let maxLogBytes = 64 << 20

    /// Whether SQLite would ignore commits in the log of the file.
    package static func hidesCommits(_ path: String) -> Bool {
        let log = try? File.contents(of: path + "-wal", maxBytes: maxLogBytes)
        return log.map(WriteAheadLog.hidesCommits) ?? false
    }

    /// Lets only the owner read and write the file and its log, and creates an empty file if there is none.
    package static func makePrivate(_ path: String) throws(Errno) {
        // SQLite creates the log with the mode of the file.
        try File.makePrivate(path)
        if File.exists(path + "-wal") { try File.makePrivate(path + "-wal") }
    }

    /// Renames a closed file and its log. The file never gets the log of another file.
    package static func rename(_ path: String, to place: String) throws(Errno) {
        try remove(place)
        try File.rename(path, to: place)
        if File.exists(path + "-wal") { try File.rename(path + "-wal", to: place + "-wal") }
        try File.remove(path + "-shm")
    }

    /// Removes a closed file.
    package static func remove(_ path: String) throws(Errno) {
        // SQLite ignores a log without a file. A file without its log would be an older state.
        for suffix in ["", "-wal", "-shm"] { try File.remove(path + suffix) }
    }
}
