import Posix

/// A folder with keys of days: one file a key, readable by the server only.
struct KeyFolder {
    let path: String

    func path(of name: DayKey.Name) -> String { path + "/" + name.file }

    func read(_ name: DayKey.Name) -> StoredKey {
        do throws(Errno) {
            return StoredKey(
                try File.contents(of: path(of: name), maxBytes: StoredKey.size))
        } catch {
            // A folder that a file hides, or a disk that is away.
            return File.exists(path(of: name)) ? .damaged("\(error)") : .missing
        }
    }

    func write(_ key: [UInt8], _ name: DayKey.Name) throws(Errno) {
        try File.makeFolders(path)
        try File.replace(path(of: name), with: StoredKey.contents(of: key))
    }

    /// - Throws: the file is still there.
    func destroy(_ file: String) throws(Errno) {
        do throws(Errno) {
            try File.erase(path + "/" + file)
        } catch {
            // A file that can't be overwritten may be gone.
            if File.exists(path + "/" + file) { throw error }
        }
    }

    /// The names of all files.
    var files: [String] { Folder.names(in: path) }

    /// The keys that can be read.
    var keys: [DayKey] {
        Set(files.compactMap { DayKey.Name(file: $0) }).sorted { $0.file < $1.file }
            .compactMap { name in read(name).key.map { DayKey(name: name, bytes: $0) } }
    }
}
