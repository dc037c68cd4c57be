import Configuration
import Contract
import HTTP
import Logging
import ServerConfiguration

/// Reads the configuration and the file of tokens again, on SIGHUP.
///
/// After any fault the whole configuration stays unchanged. Sites whose part is unchanged keep their state.
struct ServerReload {
    /// What a reload changes.
    struct Change {
        let configuration: ServerConfiguration
        let policy: AccessPolicy
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
        let policy: AccessPolicy
        let restarting: [(path: String, key: ConfigurationKey<ServerConfiguration>)]
        do throws(ConfigurationError) {
            new = try ServerConfiguration.load(path: path)
            restarting = ServerConfiguration.keys.flatMap { [first, new] in
                $0.differences(first, new).filter { $0.key.effect == .afterRestart }
            }
            // Added sites must have the topics, privacy and lateness of the others.
            for (_, key) in restarting { key.copy(&new, first) }
            guard new.http.tokens != nil || !new.http.isReachable else {
                throw ConfigurationError(lines: [
                    "\(path): /http/tokens: tokens is required until a restart, since listen and hosts "
                        + "stay as they are"
                ])
            }
            policy = try AccessPolicy(new.http)
        } catch {
            for line in error.lines { log.error("configuration unchanged", ["fault": line]) }
            return nil
        }
        for (place, _) in restarting { log.warning("a change needs a restart", ["key": place]) }
        let old = configuration
        configuration = new
        log.use(new.log)
        return Change(
            configuration: new, policy: policy,
            hasOtherSites: Set(old.sites.map(\.site)) != Set(new.sites.map(\.site)))
    }
}
