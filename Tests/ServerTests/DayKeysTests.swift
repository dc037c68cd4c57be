import Glibc
import Logging
import Posix
import Primitives
import TestSupport
import Testing

@testable import Server

@Suite("the keys of the days")
struct DayKeysTests {
    private let folder: TemporaryFolder
    /// 2026-11-22 12:00 UTC, far from any 04:00 of a time zone near Greenwich.
    private let noon: UnixTime = 1_795_348_800_000
    private var today: LocalDay { LocalDay(containing: noon) }
    private var path: String { folder.file("keys") }
    private var files: [String] { Folder.names(in: path) }

    init() throws { folder = try TemporaryFolder() }

    private func plant(_ file: String, bytes: Int = DayKey.length) throws {
        try File.makeFolders(path)
        try File.replace(path + "/" + file, with: [UInt8](repeating: 7, count: bytes))
    }

    @Test("keys of sites that left the configuration are destroyed when their day is over")
    func leftSite() throws {
        let keys = DayKeys(folder: path)
        for file in [
            "gone@2026-11-20.key", "gone@2026-11-22.key", "s@2026-11-21.key", "s@2026-11-22.key",
            "s@2026-11-20.key.new", "other",
        ] { try plant(file) }
        let before = keys.key(of: "gone", today)
        keys.keep(NeededKeys(running: ["s": today], wall: noon))
        #expect(files == ["gone@2026-11-22.key", "other", "s@2026-11-22.key"])
        // Back on the same day: its stored windows and the new ones have the same pseudonyms.
        #expect(keys.key(of: "gone", today) == before)
        // The day is closed a minute after its end.
        let end = today.span.upperBound
        keys.keep(NeededKeys(running: ["s": today], wall: end + .seconds(59)))
        #expect(files.contains("gone@2026-11-22.key"))
        keys.keep(NeededKeys(running: ["s": today], wall: end + .seconds(60)))
        #expect(files == ["gone@2026-11-22.destroyed", "other", "s@2026-11-22.key"])
        keys.keep(NeededKeys(running: ["s": LocalDay(containing: end)], wall: end + .seconds(60)))
        #expect(files == ["gone@2026-11-22.destroyed", "other"])
        #expect(keys.faults.isEmpty)
    }

    @Test("a site that comes back after its day has lost no key")
    func returnedSite() throws {
        _ = DayKeys(folder: path).key(of: "gone", today)
        let end = today.span.upperBound
        let next = ["s": LocalDay(containing: end)]
        DayKeys(folder: path).keep(NeededKeys(running: next, wall: end + .seconds(60)))
        // After a restart, with the windows of the day in the store.
        let keys = DayKeys(folder: path, hasWindows: { _, _ in true })
        _ = keys.key(of: "gone", today)
        #expect(keys.faults.isEmpty)
        #expect(keys.damages == 0)
        _ = keys.key(of: "s", today)
        #expect(keys.damages == 1)
        keys.keep(NeededKeys(running: next, wall: end + .seconds(86_400 + 60)))
        #expect(!files.contains { $0.hasSuffix(".destroyed") })
        // The alert ends with the day of the key.
        #expect(keys.damages == 0)
    }

    @Test("a key that can't be destroyed is a fault, which is logged once, until it is gone")
    func undestroyed() throws {
        // A folder with a file in it: nobody can remove it like a file.
        try File.makeFolders(path + "/gone@2026-11-20.key")
        try plant("gone@2026-11-20.key/file")
        var keeper = KeyKeeper(DayKeys(folder: path))
        let start = Instant(microseconds: 1_000_000)
        func tick(_ seconds: Int64, wall: UnixTime?) -> [String] {
            keeper.tick(
                running: ["s": today], wall: wall, Log(level: .error),
                at: start.advanced(byMilliseconds: seconds * 1000))
        }
        // Without a certain time, all keys stay.
        #expect(tick(0, wall: nil).isEmpty)
        let faults = tick(1, wall: noon)
        #expect(faults.count == 1)
        #expect(faults.allSatisfy { $0.contains("\(path)/gone@2026-11-20.key") })
        #expect(faults.allSatisfy { $0.contains("Is a directory") })
        #expect(tick(2, wall: noon) == faults)
        try File.remove(path + "/gone@2026-11-20.key/file")
        _ = rmdir(path + "/gone@2026-11-20.key")
        #expect(tick(5, wall: noon) == faults)
        #expect(tick(11, wall: noon).isEmpty)
    }

    /// A folder below a file: nobody can write there.
    private func unwritable() throws -> String {
        try folder.write("", to: "disk") + "/keys"
    }

    @Test("a key that the disk does not take survives a kill, and goes to the disk when that works")
    func refuge() throws {
        let (disk, refuge) = (try unwritable(), folder.file("run/keys"))
        let keys = DayKeys(folder: disk, refuge: refuge)
        let first = keys.key(of: "s", today)
        #expect(keys.key(of: "s", today) == first)
        #expect(keys.faults.count == 1)
        #expect(
            keys.faults[0].contains("\(disk)/s@2026-11-22.key can't be written: Not a directory"))
        #expect(keys.faults[0].contains("\(refuge) keeps it until a reboot"))
        // Killed, and started on the same disk.
        let second = DayKeys(folder: disk, refuge: refuge)
        #expect(second.key(of: "s", today) == first)
        #expect(second.faults == keys.faults)
        second.keep(nil)
        #expect(second.faults == keys.faults)
        try File.remove(folder.file("disk"))
        second.keep(nil)
        #expect(second.faults.isEmpty)
        #expect(Folder.names(in: disk) == ["s@2026-11-22.key"])
        #expect(Folder.names(in: refuge).isEmpty)
        #expect(DayKeys(folder: disk, refuge: refuge).key(of: "s", today) == first)
    }

    @Test("a key of the refuge alone is marked as destroyed, whether the disk works by then or not")
    func markOfRefuge() throws {
        let end = today.span.upperBound
        let next = NeededKeys(running: ["s": LocalDay(containing: end)], wall: end + .seconds(60))
        for worksAgain in [false, true] {
            let (disk, refuge) = (try unwritable(), folder.file("run\(worksAgain)/keys"))
            _ = DayKeys(folder: disk, refuge: refuge).key(of: "gone", today)
            if worksAgain { try File.remove(folder.file("disk")) }
            DayKeys(folder: disk, refuge: refuge).keep(next)
            // After a restart, the site comes back with the windows of the day in the store.
            let keys = DayKeys(folder: disk, refuge: refuge, hasWindows: { _, _ in true })
            _ = keys.key(of: "gone", today)
            #expect(keys.damages == 0, "\(worksAgain)")
        }
    }

    @Test("a key of a closed day is destroyed in the refuge too")
    func refugeOfClosedDay() throws {
        let (disk, refuge) = (try unwritable(), folder.file("run/keys"))
        let keys = DayKeys(folder: disk, refuge: refuge)
        let first = keys.key(of: "s", today)
        let end = today.span.upperBound
        keys.keep(NeededKeys(running: ["s": LocalDay(containing: end)], wall: end + .seconds(60)))
        #expect(keys.faults.isEmpty)
        #expect(Folder.names(in: refuge).isEmpty)
        #expect(keys.key(of: "s", today) != first)
    }

    @Test("a key in memory only is a fault with its consequence", arguments: [true, false])
    func memory(hasRefuge: Bool) throws {
        let disk = try unwritable()
        let keys = DayKeys(folder: disk, refuge: hasRefuge ? disk + "/run" : nil)
        let first = keys.key(of: "s", today)
        #expect(keys.key(of: "s", today) == first)
        #expect(keys.faults.count == 1)
        #expect(keys.faults[0].contains("after a restart, beacons get other pseudonyms"))
    }

    private var file: String { path + "/s@2026-11-22.key" }

    @Test(
        "a key with a flipped bit, or a part of one, is replaced, and a fault until its day is closed"
    )
    func damaged() throws {
        let first = DayKeys(folder: path).key(of: "s", today)
        let whole = try File.contents(of: file, maxBytes: 100)
        var damages = (0..<8 * whole.count).map { bit in
            var bytes = whole
            bytes[bit / 8] ^= 1 << (bit % 8)
            return bytes
        }
        damages += (0..<whole.count).filter { $0 != DayKey.length }.map { Array(whole[..<$0]) }
        damages.append(whole + [0])
        for damage in damages {
            try File.replace(file, with: damage)
            let keys = DayKeys(folder: path)
            let second = keys.key(of: "s", today)
            #expect(second != first)
            #expect(keys.key(of: "s", today) == second)
            #expect(keys.damages == 1)
            #expect(keys.faults.count == 1 && keys.faults[0].contains("\(file) was replaced"))
            #expect(DayKeys(folder: path).key(of: "s", today) == second)
            keys.keep(NeededKeys(running: ["s": today], wall: noon))
            #expect(keys.faults.count == 1)
            let end = today.span.upperBound
            keys.keep(
                NeededKeys(running: ["s": LocalDay(containing: end)], wall: end + .seconds(60)))
            #expect(keys.faults.isEmpty)
        }
    }

    @Test(
        "a missing key is a fault only if the store has windows of its day",
        arguments: [true, false])
    func missing(hasWindows: Bool) {
        let keys = DayKeys(folder: path, hasWindows: { $0 == "s" && $1 == today && hasWindows })
        _ = keys.key(of: "s", today)
        _ = keys.key(of: "other", today)
        #expect(keys.damages == (hasWindows ? 1 : 0))
        #expect(keys.faults.count == keys.damages)
        #expect(keys.faults.allSatisfy { $0.contains("its file was missing") })
        // A closed day has no key.
        let closed = DayKeys(folder: folder.file("others"), hasWindows: { _, _ in true })
        _ = closed.key(of: "s", today, isOpen: false)
        #expect(closed.damages == 0)
    }

    @Test("a key that is lost or damaged while the server runs is written again")
    func restored() throws {
        let keys = DayKeys(folder: path)
        let key = keys.key(of: "s", today)
        let whole = try File.contents(of: file, maxBytes: 100)
        try File.remove(file)
        keys.keep(nil)
        #expect(try File.contents(of: file, maxBytes: 100) == whole)
        try File.replace(file, with: Array(whole.reversed()))
        keys.keep(nil)
        #expect(try File.contents(of: file, maxBytes: 100) == whole)
        #expect(keys.key(of: "s", today) == key)
        #expect(keys.damages == 1 && keys.faults.isEmpty)
        #expect(
            keys.takeRestored().map(\.reason) == [
                "its file was missing", "its file was damaged, its checksum is wrong",
            ])
        let before = FileStamp(of: file)
        keys.keep(nil)
        #expect(FileStamp(of: file) == before && keys.takeRestored().isEmpty)
    }

    @Test("a key of a version without checksums is read")
    func formerVersion() throws {
        try plant("s@2026-11-22.key")
        let keys = DayKeys(folder: path)
        #expect(keys.key(of: "s", today) == [UInt8](repeating: 7, count: DayKey.length))
        #expect(keys.damages == 0)
    }
}
