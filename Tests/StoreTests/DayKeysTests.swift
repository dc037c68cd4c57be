import Foundation
import Posix
import TestSupport
import Testing

@testable import Store

@Suite("keys of days")
struct DayKeysTests {
    private let folder: TemporaryFolder
    private var keys: DayKeys { DayKeys(folder: folder.file("state/keys")) }

    init() throws { folder = try TemporaryFolder() }

    private func files() -> [String] {
        Folder.names(in: keys.folder).map { keys.folder + "/" + $0 }
    }

    @Test("a key is created once for each site and day, readable by the owner only")
    func created() throws {
        let first = keys.key(of: "store-1", day: 1000)
        #expect(first.origin == .created)
        #expect(first.failure == nil)
        #expect(first.bytes.count == 32)
        let again = keys.key(of: "store-1", day: 1000)
        #expect(again.origin == .found)
        #expect(again.bytes == first.bytes)
        #expect(keys.key(of: "store-2", day: 1000).bytes != first.bytes)
        #expect(keys.key(of: "store-1", day: 2000).bytes != first.bytes)
        #expect(keys.key(of: "../../etc/passwd", day: 1000).origin == .created)
        #expect(files().count == 4)
        for file in files() { #expect(try FilePermissions(of: file).mode & 0o777 == 0o600) }
        #expect(try FilePermissions(of: keys.folder).mode & 0o777 == 0o700)
    }

    @Test("a destroyed key is overwritten before its file is removed")
    func destroyed() throws {
        let old = keys.key(of: "store-1", day: 1000)
        _ = keys.key(of: "store-1", day: 2000)
        let path = try #require(files().first { $0.hasSuffix("-1000") })
        // A second name of the same bytes shows what was written to them.
        let link = folder.file("link")
        try FileManager.default.linkItem(atPath: path, toPath: link)
        try folder.write("unfinished", to: "state/keys/abc-2000.new")
        let result = keys.destroy(before: 2000)
        #expect(result.destroyed == 2)
        #expect(result.failed.isEmpty)
        #expect(keys.days == [2000])
        let rest = try File.contents(of: link, maxBytes: 1000)
        #expect(rest.count > 32)
        #expect(rest.allSatisfy { $0 == 0 })
        let new = keys.key(of: "store-1", day: 1000)
        #expect(new.origin == .created)
        #expect(new.bytes != old.bytes)
    }

    @Test("a damaged key is replaced, and the answer says so", arguments: [0, 5, 40])
    func damaged(place: Int) throws {
        let first = keys.key(of: "store-1", day: 1000)
        let path = try #require(files().first)
        var bytes = try File.contents(of: path, maxBytes: 1000)
        bytes[place] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let second = keys.key(of: "store-1", day: 1000)
        #expect(second.origin == .replaced)
        #expect(second.bytes != first.bytes)
        #expect(
            keys.key(of: "store-1", day: 1000)
                == .init(bytes: second.bytes, origin: .found, failure: nil))
    }

    @Test("a key that can't be written is in memory until it can")
    func unwritable() throws {
        // A file in the place of the folder.
        let blocked = DayKeys(folder: try folder.write("", to: "file") + "/keys")
        let key = blocked.key(of: "store-1", day: 1000)
        #expect(key.failure != nil)
        #expect(key.bytes.count == 32)
        try FileManager.default.removeItem(atPath: folder.file("file"))
        try blocked.keep(key.bytes, of: "store-1", day: 1000)
        #expect(blocked.key(of: "store-1", day: 1000).bytes == key.bytes)
    }
}
