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
        DatabaseStore.scan(path, claimed: claimed, visit: visit)
    }

    package func remove() {
        // SQLite ignores a log without a file. A file without its log would be an older state.
        try? File.remove(path)
        try? File.remove(path + "-wal")
    }
}
