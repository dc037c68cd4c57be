import Glibc

/// What the process takes of the machine's memory (proc_pid_statm(5)).
package enum ProcessMemory {
    /// Resident bytes; zero where /proc is missing.
    package static var resident: Int64 { pages.resident * pageSize }

    /// Resident bytes without the pages of files, which other processes of the program share.
    package static var anonymous: Int64 {
        let (resident, shared) = pages
        return max(0, resident - shared) * pageSize
    }

    private static var pageSize: Int64 { Int64(sysconf(CInt(_SC_PAGESIZE))) }

    private static var pages: (resident: Int64, shared: Int64) {
        var text = [UInt8](repeating: 0, count: 128)
        do throws(Errno) {
            let file = try Descriptor.open(reading: "/proc/self/statm")
            let number = file.rawValue
            let read = text.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
            text.removeLast(text.count - (try read.get() ?? 0))
        } catch {
            return (0, 0)
        }
        let fields = text.split(separator: UInt8(ascii: " ")).map {
            Int64(String(decoding: $0, as: UTF8.self)) ?? 0
        }
        return fields.count > 2 ? (fields[1], fields[2]) : (0, 0)
    }
}
