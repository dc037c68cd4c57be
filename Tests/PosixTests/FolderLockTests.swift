import Foundation
import Posix
import TestSupport
import Testing

@Suite struct FolderLockTests {
    @Test("a locked folder refuses a second owner, and names the first, until the lock is released")
    func exclusive() throws {
        let folder = try TemporaryFolder()
        do {
            let first = try FolderLock(folder.path)
            do throws(FolderLock.Failure) {
                _ = try FolderLock(folder.path)
                Issue.record("two owners")
            } catch {
                // Without a readable /proc/locks, the owner of the lock is unknown.
                let isListed = FileManager.default.isReadableFile(atPath: "/proc/locks")
                #expect(error == .taken(by: isListed ? getpid() : nil))
            }
            withExtendedLifetime(first) {}
        }
        _ = try FolderLock(folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("a lock covers its folder under any path")
    func names() throws {
        let folder = try TemporaryFolder()
        try File.makeFolders(folder.file("a"))
        try File.makeFolders(folder.file("b"))
        let lock = try FolderLock(folder.file("a"))
        #expect(lock.covers(folder.file("b/../a/")))
        #expect(!lock.covers(folder.file("b")))
        #expect(!lock.covers(folder.file("c")))
    }

    @Test("a file or a missing folder can't be locked")
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
