import Posix

/// A place for an SQLite file, and for the log that SQLite keeps beside it.
package struct DatabaseFile: Disk {
    package let path: String
    private let maxBytes: Int

    /// - Parameter maxBytes: what the rows may take.
    package init(path: String, maxBytes: Int) {
        self.path = path
        self.maxBytes = maxBytes
    }

    private var log: String { path + "-wal" }
    /// Of what is set aside; there is room for one.
    private static let damagedSuffix = ".damaged"

    package func open(creating: Bool) throws(StoreFailure) -> (any Store)? {
        if !File.exists(path) {
            guard creating else { return nil }
            do throws(Errno) { try File.makeFolders(File.folder(of: path)) } catch {
                throw StoreFailure(.unusable, "the folder can't be made: \(error)")
            }
        }
        return try DatabaseStore(path: path, maxBytes: maxBytes)
    }

    package func setAside() -> String? {
        let place = path + Self.damagedSuffix
        do throws(Errno) {
            try File.rename(path, to: place)
            try File.remove(place + "-wal")
            if File.exists(log) { try File.rename(log, to: place + "-wal") }
            return place
        } catch {
            return nil
        }
    }

    package func remove() {
        // A log without its file is nothing to SQLite; a file without its log would be an older state of itself.
        try? File.remove(path)
        try? File.remove(log)
    }
}
