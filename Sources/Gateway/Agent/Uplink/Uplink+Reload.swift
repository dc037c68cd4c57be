import Configuration
import Outbox
import Posix
import Primitives

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
