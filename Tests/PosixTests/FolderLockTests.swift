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

    @Test("a released lock is free although another process still has its descriptor")
    func duplicates() throws {
        let folder = try TemporaryFolder()
        var duplicate: Int32 = -1
        do {
            let lock = try FolderLock(folder.path)
            let inherited = try #require(
                (Int32(0)..<1024).first { lock.covers("/proc/self/fd/\($0)") })
            // The same open file description, as in a child after fork(2).
            duplicate = dup(inherited)
            withExtendedLifetime(lock) {}
        }
        defer { close(duplicate) }
        _ = try FolderLock(folder.path)
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
