import Posix
import Primitives

/// The keys of the sites' days: 32 random bytes each, in a folder that only the owner may enter.
///
/// A key turns identities into tags. When it is destroyed, no one can tell to which identity a tag belonged.
package struct DayKeys: Sendable {
    package struct Key: Equatable, Sendable {
        package enum Origin: Equatable, Sendable {
            case found
            /// The day has no key yet, or its file is gone. Tags that were made before differ from now on.
            case created
            /// The file is damaged or unreadable, and a new key replaces it.
            case replaced
        }

        package let bytes: [UInt8]
        package let origin: Origin
        /// Why the key is in memory only.
        package let failure: Errno?
    }

    package let folder: String

    /// - Parameter folder: it is created if it is missing.
    package init(folder: String) { self.folder = folder }

    private static let size = 32

    /// The key of a site's day, which is created if there is none.
    ///
    /// - Parameters:
    ///   - day: the start of the day in milliseconds since the epoch.
    ///   - random: gives that many random bytes.
    package func key(
        of site: String, day: Int64, random: (Int) -> [UInt8] = Random.bytes
    ) -> Key {
        let path = folder + "/" + Self.name(of: site, day: day)
        let isThere = File.exists(path)
        if isThere, let bytes = read(path) {
            return Key(bytes: bytes, origin: .found, failure: nil)
        }
        let bytes = random(Self.size)
        let origin: Key.Origin = isThere ? .replaced : .created
        do throws(Errno) {
            try keep(bytes, of: site, day: day)
            return Key(bytes: bytes, origin: origin, failure: nil)
        } catch {
            return Key(bytes: bytes, origin: origin, failure: error)
        }
    }

    /// Writes a key that was in memory only.
    package func keep(_ key: [UInt8], of site: String, day: Int64) throws(Errno) {
        var writer = ByteWriter(capacity: Self.size + 16)
        writer.put(key)
        try File.makeFolders(folder)
        try File.replace(folder + "/" + Self.name(of: site, day: day), with: writer.checksummed)
    }

    /// Destroys all keys of days that began before `day`, and the rests of unfinished writes.
    ///
    /// The bytes are overwritten before the file is removed. A disk that keeps old blocks, as flash memory does, may
    /// still have them.
    ///
    /// - Returns: the number of destroyed keys, and the keys that still exist.
    package func destroy(before day: Int64) -> (destroyed: Int, failed: [(String, Errno)]) {
        var destroyed = 0
        var failed: [(String, Errno)] = []
        for name in Folder.names(in: folder) {
            if let begin = Self.day(of: name), begin >= day { continue }
            do throws(Errno) {
                try File.erase(folder + "/" + name)
                destroyed += 1
            } catch {
                failed.append((name, error))
            }
        }
        return (destroyed, failed)
    }

    /// The days of the keys that exist.
    package var days: [Int64] { Folder.names(in: folder).compactMap(Self.day).sorted() }

    private func read(_ path: String) -> [UInt8]? {
        guard let bytes = try? File.contents(of: path, maxBytes: 1024),
            var reader = try? ByteReader(checksummed: bytes),
            let key = try? reader.bytes(atMost: 1024), key.count == Self.size, reader.isAtEnd
        else { return nil }
        return key
    }

    /// A site's name can have any characters, so its digest stands for it.
    private static func name(of site: String, day: Int64) -> String {
        "\(SHA256Digest(of: Array(site.utf8)).description.prefix(32))-\(day)"
    }

    private static func day(of name: String) -> Int64? {
        name.split(separator: "-", maxSplits: 1).dropFirst().first.flatMap { Int64($0) }
    }
}
