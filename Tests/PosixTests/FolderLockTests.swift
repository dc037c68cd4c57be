import Foundation
import Posix
import TestSupport
import Testing

@Suite struct FolderLockTests {
    @Test("A folder is one owner's, who is named, until the owner is gone")
    func exclusive() throws {
        let folder = try TemporaryFolder()
        do {
            let first = try FolderLock(folder.path)
            do throws(FolderLock.Failure) {
                _ = try FolderLock(folder.path)
                Issue.record("two owners")
            } catch {
                // Where /proc/locks can't be read, nobody knows who it is.
                let isListed = FileManager.default.isReadableFile(atPath: "/proc/locks")
                #expect(error == .taken(by: isListed ? getpid() : nil))
            }
            withExtendedLifetime(first) {}
        }
        _ = try FolderLock(folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("A folder is known by whatever name")
    func names() throws {
        let folder = try TemporaryFolder()
        try File.makeFolders(folder.file("a"))
        try File.makeFolders(folder.file("b"))
        let lock = try FolderLock(folder.file("a"))
        #expect(lock.covers(folder.file("b/../a/")))
        #expect(!lock.covers(folder.file("b")))
        #expect(!lock.covers(folder.file("c")))
    }

    @Test("What is no folder can't be locked")
    func unusable() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "file")
        #expect(throws: FolderLock.Failure.unusable(Errno(rawValue: ENOTDIR))) {
            try FolderLock(file)
        }
        #expect(throws: FolderLock.Failure.unusable(.noSuchFile)) {
            try FolderLock(folder.file("none"))
        }
    }
}
