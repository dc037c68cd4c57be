import Glibc

/// What the process takes of the machine's memory (proc_pid_statm(5)).
package enum ProcessMemory {
    /// Resident bytes; zero where /proc is missing.
    package static var resident: Int64 {
        var text = [UInt8](repeating: 0, count: 128)
        do throws(Errno) {
            let file = try Descriptor.open(reading: "/proc/self/statm")
            let number = file.rawValue
            let read = text.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
            text.removeLast(text.count - (try read.get() ?? 0))
        } catch {
            return 0
        }
        let fields = text.split(separator: UInt8(ascii: " "))
        guard fields.count > 1 else { return 0 }
        let pages = Int64(String(decoding: fields[1], as: UTF8.self)) ?? 0
        return pages * Int64(sysconf(CInt(_SC_PAGESIZE)))
    }
}
