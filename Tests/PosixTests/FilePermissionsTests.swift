import Foundation
import TestSupport
import Testing

@testable import Posix

@Suite("file permissions")
struct FilePermissionsTests {
    private static let agent = Account(user: 100, groups: [100, 20])

    /// Mode, owner, group, and the rights of an account with user 100 and groups 100 and 20.
    private static let permissions: [(UInt32, UInt32, UInt32, FilePermissions.Access)] = [
        (0o600, 0, 0, []), (0o640, 0, 20, .read), (0o640, 0, 21, []), (0o604, 0, 0, .read),
        (0o600, 100, 0, [.read, .write]), (0o750, 0, 100, [.read, .enter]),
        // The first match decides, even if others have more rights.
        (0o077, 100, 0, []), (0o707, 0, 20, []),
    ]

    @Test("the first match of owner, group and others decides", arguments: permissions)
    func modes(mode: UInt32, owner: UInt32, group: UInt32, allowed: FilePermissions.Access) {
        let permissions = FilePermissions(mode: mode, owner: owner, group: group)
        for access in [FilePermissions.Access.read, .write, .enter] {
            #expect(permissions.allows(access, to: Self.agent) == allowed.contains(access))
            #expect(permissions.allows(access, to: Account(user: 0, groups: [])))
        }
    }

    @Test("a file below a closed folder is not permitted, and a missing one does not exist")
    func objections() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("x", to: "file")
        #expect(Account.own.failure(of: .read, at: file) == nil)
        #expect(Account.own.failure(of: .read, at: file + "-not") == .noSuchFile)
        // Only its owner may enter the folder.
        let stranger = Account(user: 4711, groups: [])
        #expect(stranger.failure(of: .read, at: file) == .permissionDenied)
        #expect(stranger.failure(of: .read, at: "/etc/passwd") == nil)
        #expect(stranger.failure(of: .write, at: "/etc/passwd") == .permissionDenied)
    }

    @Test("the owner of a folder's lock is found without taking the lock")
    func holder() throws {
        let folder = try TemporaryFolder()
        #expect(FolderLock.holder(of: folder.path) == nil)
        let lock = try FolderLock(folder.path)
        let holder = FolderLock.holder(of: folder.path)
        withExtendedLifetime(lock) { #expect(holder == getpid()) }
    }

    @Test("a host name has addresses or none")
    func addresses() {
        #expect(Sockets.addresses(of: "127.0.0.1") == ["127.0.0.1"])
        #expect(Sockets.addresses(of: "::1") == ["::1"])
        #expect(Sockets.addresses(of: "no such name").isEmpty)
    }
}
