import Foundation
import TestSupport
import Testing

@testable import Posix

@Suite("Who may reach a file")
struct FileStandingTests {
    private static let agent = Account(user: 100, groups: [100, 20])

    /// Mode, owner, group, and what somebody of user 100, groups 100 and 20, may do.
    private static let standings: [(UInt32, UInt32, UInt32, FileStanding.Wish)] = [
        (0o600, 0, 0, []), (0o640, 0, 20, .read), (0o640, 0, 21, []), (0o604, 0, 0, .read),
        (0o600, 100, 0, [.read, .write]), (0o750, 0, 100, [.read, .enter]),
        // The first that fits decides, also where others may do more.
        (0o077, 100, 0, []), (0o707, 0, 20, []),
    ]

    @Test("Of owner, group and others, the first that fits decides", arguments: standings)
    func modes(mode: UInt32, owner: UInt32, group: UInt32, allowed: FileStanding.Wish) {
        let standing = FileStanding(mode: mode, owner: owner, group: group)
        for wish in [FileStanding.Wish.read, .write, .enter] {
            #expect(standing.allows(wish, to: Self.agent) == allowed.contains(wish))
            #expect(standing.allows(wish, to: Account(user: 0, groups: [])))
        }
    }

    @Test("A file below a closed folder can't be reached, and a missing one is missing")
    func objections() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("x", to: "file")
        #expect(Account.own.objection(to: .read, at: file) == nil)
        #expect(Account.own.objection(to: .read, at: file + "-not") == .noSuchFile)
        // The folder is its owner's alone.
        let stranger = Account(user: 4711, groups: [])
        #expect(stranger.objection(to: .read, at: file) == .permissionDenied)
        #expect(stranger.objection(to: .read, at: "/etc/passwd") == nil)
        #expect(stranger.objection(to: .write, at: "/etc/passwd") == .permissionDenied)
    }

    @Test("A folder's holder is found without touching its lock")
    func holder() throws {
        let folder = try TemporaryFolder()
        #expect(FolderLock.holder(of: folder.path) == nil)
        let lock = try FolderLock(folder.path)
        let holder = FolderLock.holder(of: folder.path)
        withExtendedLifetime(lock) { #expect(holder == getpid()) }
    }

    @Test("Names have addresses, or none")
    func addresses() {
        #expect(Sockets.addresses(of: "127.0.0.1") == ["127.0.0.1"])
        #expect(Sockets.addresses(of: "::1") == ["::1"])
        #expect(Sockets.addresses(of: "no such name").isEmpty)
    }
}
