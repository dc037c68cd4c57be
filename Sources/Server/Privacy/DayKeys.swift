import Posix

/// The keys of the sites' days. It alone writes and destroys their files.
///
/// A day's key is random. It is destroyed when the day is closed. A key that the disk does not take is in the refuge until the
/// disk works: a kill of the server then changes no pseudonym.
final class DayKeys {
    /// A key that is not on the disk.
    private struct Unstored {
        let key: [UInt8]
        let reason: Errno
        /// Whether it is in the refuge.
        let survivesKill: Bool
    }

    private let disk: KeyFolder
    private let refuge: KeyFolder?
    private let random: @Sendable () -> UInt64
    private var unstored: [DayKey.Name: Unstored] = [:]
    /// The paths of keys that are not needed and can't be destroyed, with the reasons.
    private var undestroyed: [(path: String, reason: Errno)] = []

    /// - Parameters:
    ///   - folder: a folder of the state directory.
    ///   - refuge: a folder on another file system; `nil` if there is none.
    init(
        folder: String, refuge: String? = nil,
        random: @escaping @Sendable () -> UInt64 = Random.word
    ) {
        disk = KeyFolder(path: folder)
        self.refuge = refuge.map { KeyFolder(path: $0) }
        self.random = random
    }

    /// The key of a day; a new one if there is none.
    func key(of site: String, _ day: LocalDay) -> [UInt8] {
        let name = DayKey.Name(site: site, day: day.name)
        if let key = unstored[name]?.key ?? disk.read(name) { return key }
        let key = refuge?.read(name) ?? newKey()
        store(key, name)
        return key
    }

    /// Destroys the keys that are not needed, and stores those that the disk did not take.
    ///
    /// - Parameter needed: `nil` destroys none.
    func keep(_ needed: NeededKeys?) {
        let isNeeded = { (name: DayKey.Name) in needed?.contains(name) ?? true }
        unstored = unstored.filter { isNeeded($0.key) }
        for (name, key) in unstored { store(key.key, name) }
        undestroyed = []
        destroy(in: disk) { !isNeeded($0) }
        guard let refuge else { return }
        destroy(in: refuge) { !isNeeded($0) || unstored[$0] == nil && disk.read($0) != nil }
    }

    /// The dates of a site's days that are not closed.
    func days(of site: String) -> Set<String> {
        let names = [disk, refuge].compactMap(\.self).flatMap(\.files)
            .compactMap { DayKey.Name(file: $0) }
        return Set(names.lazy.filter { $0.site == site }.map(\.day))
    }

    /// Sentences about what does not work.
    var faults: [String] {
        let unstored = unstored.sorted { $0.key.file < $1.key.file }.map { name, key in
            let place =
                key.survivesKill
                ? "\(refuge?.path ?? "") keeps it until a reboot"
                : "only the memory has it: after a restart, beacons get other pseudonyms"
            return "The key \(disk.path(of: name)) can't be written: \(key.reason); \(place)."
        }
        return unstored
            + undestroyed.map {
                "The key \($0.path) is not needed any more, and can't be destroyed: \($0.reason)."
            }
    }

    private func store(_ key: [UInt8], _ name: DayKey.Name) {
        do throws(Errno) {
            try disk.write(key, name)
            unstored[name] = nil
        } catch {
            unstored[name] = Unstored(key: key, reason: error, survivesKill: shelter(key, name))
        }
    }

    /// - Returns: whether the refuge has the key.
    private func shelter(_ key: [UInt8], _ name: DayKey.Name) -> Bool {
        guard let refuge else { return false }
        if refuge.read(name) == key { return true }
        do throws(Errno) { try refuge.write(key, name) } catch { return false }
        return true
    }

    private func destroy(in folder: KeyFolder, where isOver: (DayKey.Name) -> Bool) {
        for file in folder.files {
            guard let name = DayKey.Name(file: file), isOver(name) else { continue }
            do throws(Errno) { try folder.destroy(file) } catch {
                undestroyed.append((folder.path + "/" + file, error))
            }
        }
    }

    private func newKey() -> [UInt8] {
        (0..<DayKey.length / 8).flatMap { _ in
            let word = random()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
    }
}
