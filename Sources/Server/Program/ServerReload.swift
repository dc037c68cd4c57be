import Configuration
import Contract
import HTTP
import Logging
import ServerConfiguration

/// Reads the configuration and the files that it names again, on SIGHUP.
///
/// After any fault the whole configuration stays unchanged. Sites whose part is unchanged keep their state.
struct ServerReload {
    /// What a reload changes.
    struct Change {
        let configuration: ServerConfiguration
        let policy: AccessPolicy
        /// Whether the server reads the topics of other sites.
        let hasOtherSites: Bool
        /// Whether the connection has other settings, another password or another certificate.
        let hasOtherAccess: Bool
        /// The keys that change now, and the files whose contents have changed.
        let applied: [String]
    }

    private let path: String
    /// What the server began with: some keys stay in force until it restarts.
    private let first: ServerConfiguration
    private(set) var configuration: ServerConfiguration
    private(set) var access: BrokerAccess
    private var policy: AccessPolicy
    private(set) var registries: Registries

    init(_ configuration: ServerConfiguration, _ files: ServerFiles, path: String) {
        first = configuration
        (access, policy, registries) = (files.access, files.policy, files.registries)
        self.configuration = configuration
        registries.complete(&self.configuration)
        self.path = path
    }

    /// - Returns: `nil` after a fault, which is logged.
    mutating func read(log: Log) -> Change? {
        var new: ServerConfiguration
        let files: ServerFiles
        let restarting: [(path: String, key: ConfigurationKey<ServerConfiguration>)]
        do throws(ConfigurationError) {
            new = try ServerConfiguration.load(path: path)
            restarting = Self.differences(first, new, .afterRestart)
            // Added sites must have the topics, privacy and lateness of the others.
            for (_, key) in restarting { key.copy(&new, first) }
            guard new.http.tokens != nil || !new.http.isReachable else {
                throw ConfigurationError(lines: [
                    "\(path): /http/tokens: tokens is required until a restart, since listen and hosts "
                        + "stay as they are"
                ])
            }
            files = try ServerFiles(new, of: path, needsCertificates: true)
            files.registries.complete(&new)
        } catch {
            for line in error.lines { log.error("configuration unchanged", ["fault": line]) }
            return nil
        }
        for (place, _) in restarting { log.warning("a change needs a restart", ["key": place]) }
        log.use(new.log)
        if let warning = files.warning { log.warning(warning) }
        defer {
            (configuration, access, policy) = (new, files.access, files.policy)
            registries = files.registries
        }
        return Change(
            configuration: new, policy: files.policy,
            hasOtherSites: Set(configuration.sites.map(\.site)) != Set(new.sites.map(\.site)),
            hasOtherAccess: access != files.access, applied: applied(new, files))
    }

    private func applied(_ new: ServerConfiguration, _ files: ServerFiles) -> [String] {
        var applied = Self.differences(configuration, new, .onReload).map(\.path)
        if access != files.access, configuration.broker == new.broker {
            applied.append("a password or certificate")
        }
        if policy != files.policy, configuration.http == new.http { applied.append("tokens") }
        if registries != files.registries { applied.append("registries of beacons or plans") }
        return applied
    }

    private static func differences(
        _ old: ServerConfiguration, _ new: ServerConfiguration, _ effect: KeyEffect
    ) -> [(path: String, key: ConfigurationKey<ServerConfiguration>)] {
        ServerConfiguration.keys.flatMap { $0.differences(old, new) }
            .filter { $0.key.effect == effect }
    }
}
