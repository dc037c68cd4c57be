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
