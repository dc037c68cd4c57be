import Foundation
import Posix
import Primitives
import TestSupport
import Testing

@testable import ResultStore
@testable import StoreSQLite

@Suite("files that were set aside")
struct SetAsideTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }
    private var files: SetAsideFiles { SetAsideFiles(of: path) }
    private var names: [String] { Folder.names(in: folder.path) }
    /// 2026-11-22 14:02:12 UTC.
    private let aside: UnixTime = 1_795_356_132_000
    private let wall: UnixTime = 1_795_442_532_000

    init() throws { folder = try TemporaryFolder() }

    private func eraseAll(before limit: UnixTime) -> Int {
        var calls = 1
        while files.erase(before: limit, wall: wall).isMore { calls += 1 }
        return calls
    }

    @Test("a damaged file and its log are erased like rows of the time in their names")
    func damaged() throws {
        try folder.write("live", to: "store.sqlite")
        try folder.write("other", to: "store.sqlite.note")
        let name = files.freeName(at: aside)
        #expect(name == path + ".damaged-20261122T140212Z")
        for file in [name, name + "-wal"] { try File.replace(file, with: [1, 2, 3]) }
        try File.replace(files.freeName(at: aside), with: [4])
        // A log without its file: the name is taken.
        #expect(files.all.count == 3)
        #expect(files.all.allSatisfy { $0.hasPrefix(name) })
        _ = eraseAll(before: aside)
        #expect(files.all.count == 3)
        _ = eraseAll(before: aside + .seconds(1))
        #expect(names == ["store.sqlite", "store.sqlite.note"])
    }

    @Test("a large file is overwritten and cut off in parts")
    func parts() throws {
        let name = files.freeName(at: aside)
        let secret = [UInt8](repeating: 7, count: 5 << 19)
        try File.replace(name, with: secret)
        #expect(files.erase(before: wall, wall: wall).isMore)
        #expect(File.size(name) == 3 << 19)
        #expect(eraseAll(before: wall) == 3)
        #expect(!File.exists(name))
    }

    @Test("a wrong clock has set a file aside in the future: it is erased")
    func future() throws {
        let near = files.freeName(at: wall + .seconds(86_000))
        let far = files.freeName(at: wall + .seconds(87_000))
        for name in [near, far] { try File.replace(name, with: [1]) }
        _ = eraseAll(before: aside)
        #expect(files.all == [near])
    }

    @Test("the copy of an interrupted migration is as old as its last change")
    func copies() throws {
        try File.replace(path + ".version-1", with: [1])
        let now = UnixTime.now
        #expect(files.erase(before: now - .seconds(3600), wall: now) == SetAsideErasure())
        #expect(files.all.count == 1)
        while files.erase(before: now + .seconds(60), wall: now + .seconds(60)).isMore {}
        #expect(files.all.isEmpty)
    }

    @Test("a file that can't be erased is a fault, and keeps no other file")
    func faults() throws {
        let stuck = files.freeName(at: aside - .seconds(1))
        try File.makeFolders(stuck + "/files")
        let name = files.freeName(at: aside)
        try File.replace(name, with: [1])
        var erasure = files.erase(before: wall, wall: wall)
        while erasure.isMore { erasure = files.erase(before: wall, wall: wall) }
        #expect(erasure.faults == ["The file \(stuck) can't be erased: Is a directory."])
        #expect(erasure.erased == [name])
        #expect(files.all == [stuck])
    }
}
