import Logging
import Posix
import Primitives

/// Looks after the keys of the days: destroys those of closed days, and logs what does not work.
struct KeyKeeper {
    private let keys: DayKeys
    private var needed: NeededKeys?
    private var next: Instant?
    private var logged: Set<String> = []

    private static let pause = Duration.seconds(60)
    /// After a fault.
    private static let retry = Duration.seconds(10)

    init(_ keys: DayKeys) { self.keys = keys }

    /// The files of keys that were lost or damaged since the start.
    var damages: Int { keys.damages }

    /// The owner calls it every second.
    ///
    /// - Parameters:
    ///   - running: the running day of each configured site.
    ///   - wall: `nil` keeps all keys: the clock may be wrong.
    /// - Returns: sentences about what does not work.
    mutating func tick(
        running: [String: LocalDay], wall: UnixTime?, _ log: Log, at now: Instant
    ) -> [String] {
        let needed = wall.map { NeededKeys(running: running, wall: $0) }
        if needed != self.needed || next.map({ $0 <= now }) ?? true {
            keys.keep(needed)
            self.needed = needed
            next = now + (keys.faults.isEmpty ? Self.pause : Self.retry)
        }
        let faults = keys.faults
        for fault in faults where !logged.contains(fault) {
            log.error("fault of a key of a day", ["fault": fault])
        }
        for (path, reason) in keys.takeRestored() {
            log.error("key of a day written again", ["key": path, "reason": reason])
        }
        if faults.isEmpty, !logged.isEmpty { log.info("the faults of the keys are over") }
        logged = Set(faults)
        return faults
    }
}

/// Looks after the data of past days: the store's file and the keys.
struct DataKeeper {
    private var store = StoreKeeper()
    private var keys: KeyKeeper

    init(_ keys: DayKeys) { self.keys = KeyKeeper(keys) }

    /// The owner calls it every second.
    ///
    /// - Parameter wall: `nil` keeps everything: the clock may be wrong.
    mutating func tick(_ state: ServerState, wall: UnixTime?, _ log: Log, at now: Instant) {
        store.tick(state.store, state.runningDays.values, wall: wall, log, at: now)
        let keyFaults = keys.tick(running: state.runningDays, wall: wall, log, at: now)
        state.reported.privacy = store.faults + keyFaults
        state.loop.damagedKeys = self.keys.damages
    }
}

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

    /// Whether the key was destroyed, since its site had left the configuration.
    func isMarked(_ name: DayKey.Name) -> Bool { File.exists(path + "/" + name.mark) }

    /// Marks the keys that are about to be destroyed and of which that must be known, and removes the other marks.
    ///
    /// - Parameter keys: the files of all keys, in this folder and in others.
    func mark(_ needed: NeededKeys, _ keys: [String]) {
        for name in keys.compactMap({ DayKey.Name(file: $0) })
        where !needed.contains(name) && needed.marks(name) {
            try? File.makeFolders(path)
            try? File.replace(path + "/" + name.mark, with: [])
        }
        for file in files {
            guard let name = DayKey.Name(mark: file), !needed.marks(name) else { continue }
            try? File.remove(path + "/" + file)
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
