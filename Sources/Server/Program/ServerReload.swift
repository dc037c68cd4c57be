import Configuration
import Logging
import ServerConfiguration

/// Reads the configuration again, on SIGHUP.
///
/// After any fault the whole configuration stays unchanged. Sites whose part is unchanged keep their state.
struct ServerReload {
    /// What a reload changes.
    struct Change {
        let configuration: ServerConfiguration
        /// Whether the server reads the topics of other sites.
        let hasOtherSites: Bool
    }

    private let path: String
    /// What the server began with: some keys stay in force until it restarts.
    private let first: ServerConfiguration
    private(set) var configuration: ServerConfiguration

    init(_ configuration: ServerConfiguration, path: String) {
        first = configuration
        self.configuration = configuration
        self.path = path
    }

    /// - Returns: `nil` after a fault, which is logged.
    mutating func read(log: Log) -> Change? {
        var new: ServerConfiguration
        do throws(ConfigurationError) {
            new = try ServerConfiguration.load(path: path)
        } catch {
            for line in error.lines { log.error("configuration unchanged", ["fault": line]) }
            return nil
        }
        for (place, key) in ServerConfiguration.keys.flatMap({ $0.differences(first, new) })
        where key.effect == .afterRestart {
            log.warning("a change needs a restart", ["key": place])
            // Added sites must have the topics, privacy and lateness of the others.
            key.copy(&new, first)
        }
        let old = configuration
        configuration = new
        log.use(new.log)
        return Change(
            configuration: new,
            hasOtherSites: Set(old.sites.map(\.site)) != Set(new.sites.map(\.site)))
    }
}
