import Configuration
import Contract
import HomeAssistant
import MQTT
import Outbox
import Posix
import Primitives
import Session

/// The configuration file is read again: what changes takes effect in each part.
extension Uplink {
    /// Reads the configuration file again. An invalid file changes nothing.
    func reload(at now: Instant) {
        guard !shutdown.isStopping, var file = settings.configuration else { return }
        notify(health.reloadNotification(isOver: false))
        defer { notify(health.reloadNotification(isOver: true)) }
        do throws(ConfigurationError) {
            let update = try file.read()
            settings.configuration = file
            port.post(.reloaded(update.document))
            log(update, of: file.path)
            use(update, at: now)
        } catch {
            port.post(.reloaded(nil))
            for line in error.lines {
                log.error(
                    "configuration invalid: the configuration stays unchanged", ["reason": line])
            }
        }
    }

    private func log(_ update: ConfigurationFile.Update, of path: String) {
        log.use(update.configuration.log)
        for fault in update.faults { log.error("broker not usable", ["reason": fault]) }
        for warning in update.warnings { log.warning(warning) }
        for key in update.change.pending {
            log.warning("\(key) changed: restart the agent to apply it", ["file": path])
        }
        var changed = update.change.applied
        if update.brokers != nil, !update.changesBrokers {
            changed.append("a password or certificate")
        }
        if changed.isEmpty {
            log.info("configuration reloaded: no changes", ["file": path])
        } else {
            log.info(
                "configuration reloaded",
                ["file": path, "changed": changed.joined(separator: ", ")])
        }
    }

    private func use(_ update: ConfigurationFile.Update, at now: Instant) {
        let configuration = update.configuration
        settings.delivery.limits = OutboxLimits(configuration.outbox)
        delivery.use(settings.delivery.limits)
        layers?.reloaded(configuration.lowestLayer, at: now)
        if configuration.metricsPath != update.previous.metricsPath {
            health.useMetricsFile(configuration.metricsPath)
            writeMetrics(at: now)
        }
        if configuration.homeAssistant != update.previous.homeAssistant {
            let (subscribes, messages) = home.reconfigure(
                configuration.homeAssistant, canPublish: canPublish)
            if subscribes { subscribeToDiscovery() }
            messages.forEach(publish)
        }
        if let brokers = update.brokers { session.migrate(to: brokers.usable, at: now) }
    }
}

extension OutboxLimits {
    package init(_ settings: OutboxSettings) {
        self.init(
            maxBytes: Int(settings.maxBytes), maxAge: settings.maxAge,
            spillAfter: settings.spillAfter,
            backlogPerSecond: Int(settings.backlogPerSecond),
            holdUnsynced: settings.holdUnsynced, refusedHold: settings.refusedHold)
    }
}

extension Uplink {
    /// The gateway's identity, and the settings of all parts of the uplink.
    package struct Settings: Sendable {
        package var topics: Topics
        package var session: Session
        package var version: String
        package var brokers: BrokerSession.Settings
        package var delivery: Delivery.Settings
        /// What decides about the layers; `nil` where nothing can be tuned, as in a capture.
        package var reconciler: SettingsReconciler?
        /// Where the layers are saved; `nil` if there is no state directory.
        package var store: LayerStore?
        /// When the agent began; `nil` for the beginning of the uplink.
        package var began: Instant?
        /// The uplink before this one, of the same session; `nil` for the first one.
        package var predecessor: Predecessor?
        /// The configuration file; `nil` where SIGHUP does not read it again.
        package var configuration: ConfigurationFile?
        package var health = HealthReporter.Settings()
        /// `nil` if Home Assistant is not configured.
        package var homeAssistant: HomeAssistantSettings?
        /// The time limit of a shutdown.
        package var shutdownTime = Self.defaultShutdownTime
        /// Whether to detect another agent with this gateway's name. A capture may be played beside its gateway.
        package var detectsDuplicates = false
        /// Whether to publish the gateway's status, with a will. A capture does not know it.
        package var publishesStatus = true

        /// Shorter than a service manager's time limit.
        package static let defaultShutdownTime = Duration.seconds(5)

        package init(
            topics: Topics, session: Session, version: String, broker: ConnectionSettings,
            protocolChoice: Reconnect.Choice, limits: OutboxLimits, restamps: Bool
        ) {
            self.topics = topics
            self.session = session
            self.version = version
            brokers = BrokerSession.Settings(BrokerEndpoint(broker, protocolChoice))
            delivery = Delivery.Settings(limits: limits, restamps: restamps)
        }
    }

    /// What an uplink that ended left to its successor.
    package struct Predecessor: Sendable {
        package var account: UplinkAccount
        /// The number of its batches, which follow first.
        package var batches: Int
    }
}
