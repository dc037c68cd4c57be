import Posix

/// A place for an SQLite file, and for the log that SQLite keeps beside it.
package struct DatabaseFile: Disk {
    package let path: String
    private var maxBytes: Int

    /// - Parameter maxBytes: what the rows may take.
    package init(path: String, maxBytes: Int) {
        self.path = path
        self.maxBytes = maxBytes
    }

    private var log: String { path + "-wal" }
    /// Longer ones, after a transaction that was not small, are left to SQLite.
    private static let longestLog = 8 << 20
    /// Of what is set aside: the latest, and the one before. There is room for two.
    private static let damagedSuffixes = [".damaged", ".damaged-before"]

    package func open(creating: Bool) throws(StoreFailure) -> (any Store)? {
        if !File.exists(path) {
            guard creating else { return nil }
            do throws(Errno) { try File.makeFolders(File.folder(of: path)) } catch {
                throw StoreFailure(.unusable, "the folder can't be made: \(error)")
            }
        }
        if mendedLog(of: path) != nil {
            throw StoreFailure(
                .damaged, "what was committed last can't be read for damage before it")
        }
        return try DatabaseStore(path: path, maxBytes: maxBytes)
    }

    package mutating func bound(to maxBytes: Int) { self.maxBytes = maxBytes }

    package func setAside() -> String? {
        let places = Self.damagedSuffixes.map { path + $0 }
        do throws(Errno) {
            if File.exists(places[0]) { try move(places[0], to: places[1]) }
            try move(path, to: places[0])
            return places[0]
        } catch {
            return nil
        }
    }

    /// Moves a file with its log; never leaves it with the log of another.
    private func move(_ file: String, to place: String) throws(Errno) {
        try File.remove(place)
        try File.remove(place + "-wal")
        try File.rename(file, to: place)
        if File.exists(file + "-wal") { try File.rename(file + "-wal", to: place + "-wal") }
    }

    package func wreck(at place: String) -> (any Wreck)? {
        guard let log = mendedLog(of: place) else { return DatabaseWreck(path: place) }
        // A page may be there in an older state, and say nothing of it.
        let isMended = (try? File.replace(place + "-wal", with: log)) != nil
        return DatabaseWreck(path: place, isCertain: !isMended)
    }

    /// The log of a file, made readable to its end; `nil` where it is, or where that can't be told.
    private func mendedLog(of file: String) -> [UInt8]? {
        guard File.exists(file + "-wal"),
            let bytes = try? File.contents(of: file + "-wal", maxBytes: Self.longestLog),
            bytes.count <= Self.longestLog
        else { return nil }
        return WriteAheadLog(bytes)?.mended
    }

    package func remove() {
        // A log without its file is nothing to SQLite; a file without its log would be an older state of itself.
        try? File.remove(path)
        try? File.remove(log)
    }
}
