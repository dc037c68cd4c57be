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

    package func open(creating: Bool) throws(BatchStoreFailure) -> (any BatchStore)? {
        if !File.exists(path) {
            guard creating else { return nil }
            do throws(Errno) { try File.makeFolders(File.folder(of: path)) } catch {
                throw BatchStoreFailure(.unavailable, "cannot create the folder: \(error)")
            }
        }
        guard !SQLiteFile.hidesCommits(path) else {
            throw BatchStoreFailure(
                .corrupt, "the write-ahead log is damaged before its last commits")
        }
        do throws(Errno) {
            try SQLiteFile.makePrivate(path)
        } catch {
            throw BatchStoreFailure(.unavailable, "cannot create the file: \(error)")
        }
        return try DatabaseStore(path: path, maxBytes: maxBytes)
    }

    package mutating func limit(to maxBytes: Int) { self.maxBytes = maxBytes }

    package func setAside() -> String? {
        let places = Self.corruptSuffixes.map { path + $0 }
        do throws(Errno) {
            if File.exists(places[0]) { try SQLiteFile.rename(places[0], to: places[1]) }
            try SQLiteFile.rename(path, to: places[0])
            return places[0]
        } catch {
            return nil
        }
    }

    package func scan(
        _ path: String, claimed: Int64?, visit: (RecoveredRow) -> Void
    ) -> RecoveryScan? {
        guard SQLiteFile.hidesCommits(path) else {
            return DatabaseStore.scan(path, claimed: claimed, visit: visit)
        }
        // Rows, claims and losses are of an earlier time. Any row may have been sent.
        var scan = DatabaseStore.scan(path, claimed: claimed ?? .max, visit: visit)
        scan?.count = nil
        scan?.knowsLosses = false
        return scan
    }

    package func remove() {
        try? SQLiteFile.remove(path)
    }
}
