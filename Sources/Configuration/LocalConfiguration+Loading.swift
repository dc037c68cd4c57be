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
        try LocalConfiguration(
            parsing: try read(path: path), of: path, requiresBroker: requiresBroker)
    }

    /// The bytes of the file at `path`.
    package static func read(path: String) throws(ConfigurationError) -> [UInt8] {
        do throws(TextFile.Unreadable) {
            return try TextFile.contents(of: path, maxBytes: maxBytes)
        } catch {
            throw ConfigurationError(lines: ["\(path): can't be read: \(error)"])
        }
    }

    /// Reads the bytes of the file at `path`; throws a line for each fault.
    package init(
        parsing bytes: [UInt8], of path: String, requiresBroker: Bool
    ) throws(ConfigurationError) {
        do throws(Faults) {
            self = try LocalConfiguration(parsing: bytes, requiresBroker: requiresBroker)
        } catch {
            throw ConfigurationError(lines: error.list.map { $0.line(of: path) })
        }
    }
}
