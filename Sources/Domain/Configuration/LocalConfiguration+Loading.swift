import JSON
import Posix

/// Why a configuration file can't be used: a line for each fault.
package struct ConfigurationError: Error, Equatable, Sendable {
    /// `FILE: POINTER: SENTENCE`.
    package let lines: [String]

    package init(lines: [String]) { self.lines = lines }
}

extension LocalConfiguration {
    /// Reads the file at `path`; throws a line for each fault.
    package static func load(
        path: String, requiresBroker: Bool
    ) throws(ConfigurationError) -> LocalConfiguration {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try File.contents(of: path, maxBytes: maxBytes)
        } catch {
            throw ConfigurationError(lines: ["\(path): can't be read: \(error)"])
        }
        do throws(Faults) {
            return try LocalConfiguration(parsing: bytes, requiresBroker: requiresBroker)
        } catch {
            throw ConfigurationError(lines: error.list.map { $0.line(of: path) })
        }
    }
}
