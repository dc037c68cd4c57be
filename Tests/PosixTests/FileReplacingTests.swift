import Foundation
import Posix
import TestSupport
import Testing

@Suite struct FileReplacingTests {
    @Test(
        "a file is replaced atomically, is readable only by its owner, and leaves no temporary file"
    )
    func replaces() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/state.json"
        try File.replace(path, with: Array("old and long".utf8))
        try File.replace(path, with: Array("new".utf8))
        #expect(try File.contents(of: path, maxBytes: 100) == Array("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state.json"])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
    }

    @Test("a file that is replaced or edited follows no link that somebody has put beside it")
    func plantedLinks() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("old", to: "beacons.csv")
        let victim = try folder.write("untouched", to: "victim")
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: path + ".new", withDestinationPath: victim)
        try FileEdit(of: path).replace(with: Array("edited".utf8))
        #expect(try File.contents(of: path, maxBytes: 100) == Array("edited".utf8))
        #expect(try manager.destinationOfSymbolicLink(atPath: path + ".new") == victim)
        try File.replace(path, with: Array("new".utf8))
        #expect(try File.contents(of: path, maxBytes: 100) == Array("new".utf8))
        #expect(try File.contents(of: victim, maxBytes: 100) == Array("untouched".utf8))
    }

    @Test("an edited file keeps its mode and a link to it, and no other edit comes between")
    func edits() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("0", to: "beacons.csv")
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let link = folder.file("link")
        try manager.createSymbolicLink(atPath: link, withDestinationPath: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let change = try FileEdit(of: link)
                    let text = String(
                        decoding: try File.contents(of: path, maxBytes: 9), as: UTF8.self)
                    try change.replace(with: Array("\((Int(text) ?? -9) + 1)".utf8))
                }
            }
            try await group.waitForAll()
        }
        #expect(try File.contents(of: path, maxBytes: 9) == Array("8".utf8))
        #expect(try manager.destinationOfSymbolicLink(atPath: link) == path)
        let attributes = try manager.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int) == 0o640)
        #expect(
            try manager.contentsOfDirectory(atPath: folder.path).sorted()
                == ["beacons.csv", "link"])
    }

    @Test("an attempt to write in a folder leaves no trace, and knows a disk without room")
    func attempts() throws {
        let folder = try TemporaryFolder()
        #expect(File.failure(ofWritingIn: folder.path) == nil)
        let endless = File.failure(ofWritingIn: folder.path, bytes: 1 << 55)
        #expect([.noSpace, .fileTooLarge].contains(endless))
        #expect(File.failure(ofWritingIn: folder.path + "/none") == .noSuchFile)
        #expect(File.failure(ofWriting: folder.path + "/none") == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("a failed write leaves the earlier file unchanged")
    func fails() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/state"
        // A file can't replace a folder with contents.
        try File.makeFolders(path + "/inside")
        #expect(throws: Errno.self) { try File.replace(path, with: [1]) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state"])
        #expect(throws: Errno.noSuchFile) {
            try File.replace(folder.path + "/none/state", with: [1])
        }
    }

    @Test("a published file is readable by all users, with any umask and over any earlier file")
    func publishes() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/sightline.prom"
        let victim = try folder.write("untouched", to: "victim")
        try FileManager.default.createSymbolicLink(
            atPath: path + ".new", withDestinationPath: victim)
        let mask = umask(0o077)
        defer { umask(mask) }
        try File.publish(Array("old and long".utf8), at: path)
        try File.publish(Array("new".utf8), at: path)
        #expect(try File.contents(of: path, maxBytes: 100) == Array("new".utf8))
        #expect(try File.contents(of: victim, maxBytes: 100) == Array("untouched".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int) == 0o644)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["sightline.prom", "victim"])
        #expect(throws: Errno.noSuchFile) {
            try File.publish([1], at: folder.path + "/none/sightline.prom")
        }
    }

    @Test("missing folders are created, and existing ones are no error")
    func folders() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a/b/c"
        try File.makeFolders(path)
        try File.makeFolders(path)
        try File.makeFolders(path + "/")
        #expect(FileManager.default.fileExists(atPath: path))
        let file = folder.path + "/file"
        try File.replace(file, with: [])
        #expect(throws: Errno.self) { try File.makeFolders(file + "/below") }
    }
}
