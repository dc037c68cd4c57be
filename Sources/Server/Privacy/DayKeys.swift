import Posix

/// The key of a site's day.
struct DayKey {
    let site: String
    /// The date of its beginning.
    let day: String
    let bytes: [UInt8]
}

/// The keys of the days in the state directory: one file a site and day, readable by the server only.
///
/// A day's key is random. It is destroyed when the day is closed.
struct DayKeys {
    private let folder: String
    private let random: @Sendable () -> UInt64

    private static let keyBytes = 32
    private static let suffix = ".key"

    init(folder: String, random: @escaping @Sendable () -> UInt64 = Random.word) {
        self.folder = folder
        self.random = random
    }

    /// The key of a day; a new one if there is none.
    ///
    /// - Throws: the key can't be written. Pseudonyms would change at a restart.
    func key(of site: String, _ day: LocalDay) throws(Errno) -> [UInt8] {
        let path = path(site, day.name)
        if let key = try? File.contents(of: path, maxBytes: Self.keyBytes),
            key.count == Self.keyBytes
        {
            return key
        }
        let key = newKey()
        try File.makeFolders(folder)
        try File.replace(path, with: key)
        return key
    }

    func newKey() -> [UInt8] {
        (0..<Self.keyBytes / 8).flatMap { _ in
            let word = random()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
    }

    /// Destroys the keys of a site's days before this one.
    ///
    /// - Returns: the files that can't be removed.
    func destroy(of site: String, before day: LocalDay) -> [String] {
        // The names of days have one length.
        let first = name(site, day.name)
        return Folder.names(in: folder).filter {
            $0.hasPrefix(site + "@") && $0 < first && !destroy(folder + "/" + $0)
        }
    }

    /// The files of all keys.
    var files: [String] { Folder.names(in: folder) }

    /// The keys that can be read.
    var all: [DayKey] {
        files.compactMap { file in
            let parts = file.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].hasSuffix(Self.suffix),
                let key = try? File.contents(of: folder + "/" + file, maxBytes: Self.keyBytes),
                key.count == Self.keyBytes
            else { return nil }
            let day = String(parts[1].dropLast(Self.suffix.count))
            return DayKey(site: String(parts[0]), day: day, bytes: key)
        }
    }

    private func destroy(_ path: String) -> Bool {
        do throws(Errno) {
            try File.erase(path)
            return true
        } catch {
            return false
        }
    }

    private func path(_ site: String, _ day: String) -> String { folder + "/" + name(site, day) }

    /// No name of a site has an `@`.
    private func name(_ site: String, _ day: String) -> String { site + "@" + day + Self.suffix }
}
