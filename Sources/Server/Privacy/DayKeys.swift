import Posix

/// The keys of the sites' days, and the only one that writes and destroys their files.
///
/// A day's key is random. It is destroyed when the day is closed.
final class DayKeys {
    private let disk: KeyFolder
    private let random: @Sendable () -> UInt64
    /// The paths of keys that are not needed and can't be destroyed, with the reasons.
    private var undestroyed: [(path: String, reason: Errno)] = []

    /// - Parameter folder: a folder of the state directory.
    init(folder: String, random: @escaping @Sendable () -> UInt64 = Random.word) {
        disk = KeyFolder(path: folder)
        self.random = random
    }

    /// The key of a day; a new one if there is none.
    ///
    /// - Throws: the key can't be written. Pseudonyms would change at a restart.
    func key(of site: String, _ day: LocalDay) throws(Errno) -> [UInt8] {
        let name = DayKey.Name(site: site, day: day.name)
        if let key = disk.read(name) { return key }
        let key = newKey()
        try disk.write(key, name)
        return key
    }

    func newKey() -> [UInt8] {
        (0..<DayKey.length / 8).flatMap { _ in
            let word = random()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
    }

    /// Destroys the keys that are not needed.
    ///
    /// - Parameter needed: `nil` destroys none.
    func keep(_ needed: NeededKeys?) {
        undestroyed = []
        destroy(in: disk) { needed?.contains($0) == false }
    }

    private func destroy(in folder: KeyFolder, where isOver: (DayKey.Name) -> Bool) {
        for file in folder.files {
            guard let name = DayKey.Name(file: file), isOver(name) else { continue }
            do throws(Errno) { try folder.destroy(file) } catch {
                undestroyed.append((folder.path + "/" + file, error))
            }
        }
    }

    /// Sentences about what does not work.
    var faults: [String] {
        undestroyed.map {
            "The key \($0.path) is not needed any more, and can't be destroyed: \($0.reason)."
        }
    }
}
