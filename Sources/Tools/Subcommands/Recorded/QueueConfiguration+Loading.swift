import Configuration
import Contract
import JSON
import Posix
import Queueing
import ServerConfiguration

extension QueueConfiguration {
    /// Reads the file at `path`; throws a line for each fault.
    ///
    /// A file with the section `mqtt`, which `sightline-server` requires, is the server's: all its keys are checked, and
    /// its sites are used.
    static func load(path: String) throws(ConfigurationError) -> QueueConfiguration {
        let bytes = try ServerConfiguration.read(path: path)
        do throws(Faults) {
            return try ObjectReader.decode(
                parsing: bytes, maxBytes: maxBytes, allowingComments: true
            ) { reader in
                reader.has("mqtt")
                    ? ServerConfiguration(from: &reader).queues : QueueConfiguration(from: &reader)
            }
        } catch {
            throw ConfigurationError(
                lines: error.list.map { $0.line(of: path.printable(limit: 1000)) })
        }
    }
}
