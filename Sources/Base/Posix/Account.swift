import Glibc

/// A user and its groups, whose access to a file is in question (credentials(7)).
package struct Account: Equatable, Sendable {
    package let user: UInt32
    package let groups: [UInt32]

    package init(user: UInt32, groups: [UInt32]) {
        self.user = user
        self.groups = groups
    }

    /// The user that runs this process.
    package static var own: Account { of(user: geteuid()) ?? Account(user: geteuid(), groups: []) }

    /// The one with this name; `nil` when there is none (getpwnam(3)).
    package static func named(_ name: String) -> Account? {
        getpwnam(name).flatMap { Account($0.pointee) }
    }

    /// The one with this number; `nil` when it has no name (getpwuid(3)).
    package static func of(user: UInt32) -> Account? {
        getpwuid(user).flatMap { Account($0.pointee) }
    }

    private init?(_ entry: passwd) {
        guard let name = entry.pw_name else { return nil }
        var groups = [gid_t](repeating: 0, count: 64)
        var count = CInt(groups.count)
        guard getgrouplist(name, entry.pw_gid, &groups, &count) >= 0 else { return nil }
        self.init(user: entry.pw_uid, groups: Array(groups.prefix(Int(max(0, count)))))
    }
}
