import Configuration
import Contract
import Glibc
import HomeAssistant
import Outbox
import Posix

extension Daemon.Run {
    /// The settings of the uplink. Reads the password files.
    ///
    /// - Throws: wrong configuration. The error is already written.
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
        guard isLive else {
            // The gateway of the configuration may be connected.
            settings.publishesStatus = false
            settings.brokers.identifyReplay()
            return settings
        }
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
            log.warning("no state directory: unsent batches are lost on exit")
        }
        return settings
    }

    /// The outbox's file; `nil` without a state directory.
    var outboxPath: String? {
        configuration.outbox.path ?? stateDirectory.map { $0 + "/outbox.sqlite" }
    }

    /// The directory for the outbox and the layers; `nil` if neither configuration nor environment names one.
    var stateDirectory: String? {
        StateDirectory.path(configured: configuration.stateDirectory) {
            getenv($0).map { String(cString: $0) }
        }
    }
}
