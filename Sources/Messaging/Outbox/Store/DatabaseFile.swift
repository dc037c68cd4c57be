import Posix
import SQLite

/// The path of an SQLite file, and of the log (`-wal`) that SQLite keeps beside it.
package struct DatabaseFile: Disk {
    package let path: String
    private var maxBytes: Int

    /// - Parameter maxBytes: the size limit of the rows.
    package init(path: String, maxBytes: Int) {
        self.path = path
        self.maxBytes = maxBytes
    }

    /// The latest corrupt file, and the one before.
    private static let corruptSuffixes = [".damaged", ".damaged-before"]

    package func open(creating: Bool) throws(StoreFailure) -> (any Store)? {
        if !File.exists(path) {
            guard creating else { return nil }
            do throws(Errno) { try File.makeFolders(File.folder(of: path)) } catch {
                throw StoreFailure(.unavailable, "cannot create the folder: \(error)")
            }
        }
        guard !Self.hidesCommits(path) else {
            throw StoreFailure(.corrupt, "the write-ahead log is damaged before its last commits")
        }
        do throws(Errno) {
            // SQLite creates the log with the mode of the file.
            try File.makePrivate(path)
            if File.exists(path + "-wal") { try File.makePrivate(path + "-wal") }
        } catch {
            throw StoreFailure(.unavailable, "cannot create the file: \(error)")
        }
        return try DatabaseStore(path: path, maxBytes: maxBytes)
    }

    package mutating func limit(to maxBytes: Int) { self.maxBytes = maxBytes }

    package func setAside() -> String? {
        let places = Self.corruptSuffixes.map { path + $0 }
        do throws(Errno) {
            if File.exists(places[0]) { try move(places[0], to: places[1]) }
            try move(path, to: places[0])
            return places[0]
        } catch {
            return nil
        }
    }

    /// The largest log that is checked. SQLite truncates it to 1 MiB after each checkpoint.
    private static let maxLogBytes = 64 << 20

    /// Whether SQLite would ignore commits in the log of the file.
    private static func hidesCommits(_ path: String) -> Bool {
        let log = try? File.contents(of: path + "-wal", maxBytes: maxLogBytes)
        return log.map(WriteAheadLog.hidesCommits) ?? false
    }

    /// Renames a file and its log. The file never gets the log of another file.
    private func move(_ file: String, to place: String) throws(Errno) {
        try File.remove(place)
        try File.remove(place + "-wal")
        try File.rename(file, to: place)
        if File.exists(file + "-wal") { try File.rename(file + "-wal", to: place + "-wal") }
    }

    package func scan(
        _ path: String, claimed: Int64?, visit: (RecoveredRow) -> Void
    ) -> RecoveryScan? {
        guard Self.hidesCommits(path) else {
            return DatabaseStore.scan(path, claimed: claimed, visit: visit)
        }
        // Rows, claims and losses are of an earlier time. Any row may have been sent.
        var scan = DatabaseStore.scan(path, claimed: claimed ?? .max, visit: visit)
        scan?.count = nil
        scan?.knowsLosses = false
        return scan
    }

    package func remove() {
        // SQLite ignores a log without a file. A file without its log would be an older state.
        try? File.remove(path)
        try? File.remove(path + "-wal")
    }
}
