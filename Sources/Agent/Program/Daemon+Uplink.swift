import Configuration
import Contract
import Glibc
import HomeAssistant
import Outbox
import Posix

extension Daemon.Run {
    /// What the uplink needs to know; reads the passwords' files.
    ///
    /// - Throws: wrong configuration, after having said so.
    func uplinkSettings() throws(Daemon.Exit) -> Uplink.Settings {
        let brokers = try brokers()
        var settings = Uplink.Settings(
            topics: configuration.topics, session: session, version: Version.current,
            broker: brokers.first.connection, protocolChoice: brokers.first.protocolChoice,
            limits: OutboxLimits(configuration.outbox), restamps: isLive)
        settings.brokers.alternatives = Array(brokers.list.usable.dropFirst())
        settings.delivery.isPatient = !isLive
        settings.delivery.limits.maxSightings = Int(
            configuration.settings.report.maxSightingsPerMessage)
        guard isLive else { return settings }
        settings.detectsDuplicates = true
        settings.configuration = file.map {
            ConfigurationFile(
                path: $0, configuration: configuration, brokers: brokers.list,
                isSourceGiven: isSourceGiven)
        }
        settings.metricsPath = configuration.metricsPath
        settings.homeAssistant = configuration.homeAssistant
        settings.delivery.boot = Boot.id ?? ""
        settings.delivery.disk = outboxPath.map {
            DatabaseFile(path: $0, maxBytes: settings.delivery.limits.maxBytes)
        }
        if settings.delivery.disk == nil {
            log.warning("no state directory is known: what waits will not outlast the agent")
        }
        return settings
    }

    /// The outbox's file; `nil` when nobody says where.
    var outboxPath: String? {
        configuration.outbox.path ?? stateDirectory.map { $0 + "/outbox.sqlite" }
    }

    /// Where the agent keeps what must outlast it; `nil` when nobody says where.
    var stateDirectory: String? {
        StateDirectory.path(configured: configuration.stateDirectory) {
            getenv($0).map { String(cString: $0) }
        }
    }
}
