import CLinux
import Glibc

/// The network capabilities of a process or program (capabilities(7)).
package struct Privileges: OptionSet, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let netAdmin = Privileges(rawValue: 1 << 12)
    package static let netRaw = Privileges(rawValue: 1 << 13)

    /// Those of a process, this one without a number; `nil` when there is none (proc(5), CapEff).
    package init?(ofProcess process: Int32? = nil) {
        let path = "/proc/" + (process.map(String.init) ?? "self") + "/status"
        guard let bytes = try? File.contents(of: path, maxBytes: 1 << 16) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("CapEff:") }
        guard let digits = line?.split(whereSeparator: { $0 == "\t" || $0 == " " }).last,
            let value = UInt64(digits, radix: 16)
        else { return nil }
        self.init(rawValue: value)
    }

    /// The capabilities that the program file at `path` grants; none without the attribute.
    package init(ofProgram path: String) {
        // struct vfs_cap_data: flags, permitted and inheritable, twice; little-endian (linux/capability.h).
        var attribute = [UInt8](repeating: 0, count: 24)
        let size = getxattr(path, "security.capability", &attribute, attribute.count)
        guard size >= 8 else {
            self = []
            return
        }
        let low = attribute[4..<8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        self.init(rawValue: low)
    }
}

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
