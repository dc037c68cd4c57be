import JSON
import Posix
import Primitives
import Queueing

/// Why a configuration file can't be used: a line for each fault.
struct ConfigurationFaults: Error {
    let lines: [String]
}

extension QueueConfiguration {
    /// Reads the file at `path`; throws a line for each fault.
    static func load(path: String) throws(ConfigurationFaults) -> QueueConfiguration {
        let name = path.printable(limit: 1000)
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try File.contents(of: path, maxBytes: maxBytes)
        } catch {
            throw ConfigurationFaults(lines: ["\(name): can't be read: \(error)"])
        }
        do throws(Faults) {
            return try QueueConfiguration(parsing: bytes)
        } catch {
            throw ConfigurationFaults(lines: error.list.map { $0.line(of: name) })
        }
    }
}
