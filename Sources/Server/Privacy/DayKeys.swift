import Posix
import Primitives

/// The keys of the sites' days. It alone writes and destroys their files.
///
/// A day's key is random. It is destroyed when the day is closed. A key that the disk does not take is in the refuge until the
/// disk works: a kill of the server then changes no pseudonym. A file that is lost or damaged while the server runs is written again.
final class DayKeys {
    /// A key that is not on the disk.
    private struct Unstored {
        let reason: Errno
        /// Whether it is in the refuge.
        let survivesKill: Bool
    }

    private let disk: KeyFolder
    private let refuge: KeyFolder?
    private var folders: [KeyFolder] { [disk, refuge].compactMap(\.self) }
    private let hasWindows: (String, LocalDay) -> Bool
    private let random: @Sendable () -> UInt64
    /// The keys that this run uses.
    private var used: [DayKey.Name: [UInt8]] = [:]
    private var unstored: [DayKey.Name: Unstored] = [:]
    /// Why keys were replaced that earlier runs have used.
    private var replaced: [DayKey.Name: String] = [:]
    /// The paths of keys that are not needed and can't be destroyed, with the reasons.
    private var undestroyed: [(path: String, reason: Errno)] = []
    /// The keys whose files were lost or damaged since the start.
    private var damaged: Set<DayKey.Name> = []
    private var restored: [(path: String, reason: String)] = []

    /// - Parameters:
    ///   - folder: a folder of the state directory.
    ///   - refuge: a folder on another file system; `nil` if there is none.
    ///   - hasWindows: whether the store has windows of a site's day: then the day has a key.
    init(
        folder: String, refuge: String? = nil,
        hasWindows: @escaping (String, LocalDay) -> Bool = { _, _ in false },
        random: @escaping @Sendable () -> UInt64 = Random.word
    ) {
        disk = KeyFolder(path: folder)
        self.refuge = refuge.map { KeyFolder(path: $0) }
        self.hasWindows = hasWindows
        self.random = random
    }

    /// The key of a day; a new one if there is none.
    ///
    /// - Parameter isOpen: whether a missing key of a day with windows is a fault: closed days have none.
    func key(of site: String, _ day: LocalDay, isOpen: Bool = true) -> [UInt8] {
        let name = DayKey.Name(site: site, day: day.name)
        if let key = used[name] { return key }
        let stored = disk.read(name)
        let key = stored.key ?? refuge?.read(name).key ?? newKey(name, day, stored, isOpen: isOpen)
        used[name] = key
        if stored.key == nil { store(key, name) }
        return key
    }

    /// Destroys the keys that are not needed, and stores those that are not on the disk.
    ///
    /// - Parameter needed: `nil` destroys none.
    func keep(_ needed: NeededKeys?) {
        let isNeeded = { (name: DayKey.Name) in needed?.contains(name) ?? true }
        used = used.filter { isNeeded($0.key) }
        unstored = unstored.filter { isNeeded($0.key) }
        replaced = replaced.filter { isNeeded($0.key) }
        damaged = damaged.filter(isNeeded)
        for (name, key) in used { check(key, name) }
        undestroyed = []
        if let needed {
            let keys = folders.flatMap(\.files)
            for folder in folders { folder.mark(needed, keys) }
        }
        destroy(in: disk) { !isNeeded($0) }
        guard let refuge else { return }
        destroy(in: refuge) { !isNeeded($0) || unstored[$0] == nil && disk.read($0).key != nil }
    }

    /// The dates of a site's days that are not closed.
    func days(of site: String) -> Set<String> {
        let names = folders.flatMap(\.files).compactMap { DayKey.Name(file: $0) }
        return Set(names.lazy.filter { $0.site == site }.map(\.day))
    }

    /// The files that were written again since the last call, with what was wrong with them.
    func takeRestored() -> [(path: String, reason: String)] {
        defer { restored = [] }
        return restored
    }

    /// The keys of days that are not closed whose files were lost or damaged since the start.
    var damages: Int { damaged.count }

    /// Sentences about what does not work.
    var faults: [String] {
        let unstored = unstored.sorted { $0.key.file < $1.key.file }.map { name, key in
            let place =
                key.survivesKill
                ? "\(refuge?.path ?? "") keeps it until a reboot"
                : "only the memory has it: after a restart, beacons get other pseudonyms"
            return "The key \(disk.path(of: name)) can't be written: \(key.reason); \(place)."
        }
        let replaced = replaced.sorted { $0.key.file < $1.key.file }.map { name, reason in
            "The key \(disk.path(of: name)) was replaced: \(reason). "
                + "Beacons have other pseudonyms since: visits of that moment are lost. Check the disk."
        }
        return unstored + replaced
            + undestroyed.map {
                "The key \($0.path) is not needed any more, and can't be destroyed: \($0.reason)."
            }
    }

    /// Stores a key that this run uses, if its file has gone or was changed.
    private func check(_ key: [UInt8], _ name: DayKey.Name) {
        if unstored[name] == nil {
            let found = disk.read(name)
            if found == .key(key) { return }
            damaged.insert(name)
            restored.append((disk.path(of: name), found.fault))
        }
        store(key, name)
    }

    /// - Parameter stored: what is at its place.
    private func newKey(
        _ name: DayKey.Name, _ day: LocalDay, _ stored: StoredKey, isOpen: Bool
    ) -> [UInt8] {
        // The key of a site that had left the configuration was destroyed, and is not lost.
        if stored != .missing || isOpen && hasWindows(name.site, day) && !isMarked(name) {
            damaged.insert(name)
            replaced[name] = stored.fault
        }
        return (0..<DayKey.length / 8).flatMap { _ in
            let word = random()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
    }

    private func isMarked(_ name: DayKey.Name) -> Bool { folders.contains { $0.isMarked(name) } }

    private func store(_ key: [UInt8], _ name: DayKey.Name) {
        do throws(Errno) {
            try disk.write(key, name)
            unstored[name] = nil
        } catch {
            unstored[name] = Unstored(reason: error, survivesKill: shelter(key, name))
        }
    }

    /// - Returns: whether the refuge has the key.
    private func shelter(_ key: [UInt8], _ name: DayKey.Name) -> Bool {
        guard let refuge else { return false }
        if refuge.read(name) == .key(key) { return true }
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
}

/// Which keys of days are needed: those of days that are not closed.
///
/// A site that is not configured may come back, for example after an error in the configuration. Its windows of the running day
/// are stored with pseudonyms: its key stays as long as it would if the site were configured.
struct NeededKeys: Equatable {
    /// The running day of each configured site.
    private let running: [String: String]
    /// The first day that can still run at another site, and the day before it, of which the store may have windows.
    private let first: String
    private let before: String

    /// - Parameter running: the running day of each configured site.
    init(running: [String: LocalDay], wall: UnixTime) {
        self.running = running.mapValues(\.name)
        let day = LocalDay(containing: wall - DayClosing.delivery)
        first = day.name
        before = LocalDay(containing: day.span.lowerBound - .milliseconds(1)).name
    }

    func contains(_ key: DayKey.Name) -> Bool { key.day >= running[key.site] ?? first }

    /// Whether it must be known that a key was destroyed, and not lost: its site is not configured, and may come back.
    func marks(_ key: DayKey.Name) -> Bool {
        key.day == before && (running[key.site].map { $0 <= key.day } ?? true)
    }

    /// The keys among these files that a server which runs has destroyed.
    static func overdue(_ files: [String], at wall: UnixTime) -> [String] {
        let first = LocalDay(containing: wall - DayClosing.latest).name
        return files.filter { DayKey.Name(file: $0).map { $0.day < first } ?? false }
    }
}
