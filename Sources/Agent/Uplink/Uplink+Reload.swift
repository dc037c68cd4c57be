import Configuration
import MQTT
import Outbox
import Posix
import Primitives

/// A new configuration: what of it takes effect while the agent runs.
extension Uplink {
    /// Other brokers, or other ways to be let in, before they are in use.
    struct Renewal {
        let brokers: BrokerList
        /// When what is on its way has had its time.
        let deadline: Instant
    }

    /// What is on its way to a broker that is left has so long to be acknowledged, in microseconds.
    private static let leavingTime: Int64 = 2_000_000

    /// Reads the local file again, and takes over what has changed; a file with faults changes nothing.
    func reload(at now: Instant) {
        guard !isStopping, var reloading = settings.reloading else { return }
        let manager = serviceReport.isReady ? settings.manager : nil
        manager?.tell(.reloading)
        defer { manager?.tell(.ready) }
        do throws(ConfigurationError) {
            let news = try reloading.read()
            settings.reloading = reloading
            takeOver(news, reloading, at: now)
        } catch {
            for line in error.lines {
                log.error("the configuration has a fault: nothing changes", ["reason": line])
            }
        }
    }

    private func takeOver(_ news: Reloading.News, _ reloading: Reloading, at now: Instant) {
        let configuration = news.change.configuration
        log.follow(configuration.log)
        for fault in news.faults { log.error("a broker can't be used", ["reason": fault]) }
        for warning in news.warnings { log.warning(warning) }
        for key in news.change.waiting {
            log.warning("\(key) has changed, which needs a restart", ["file": reloading.path])
        }
        var changed = news.change.taken
        if news.brokers != nil, !changed.contains(where: { $0.hasPrefix("mqtt") }) {
            changed.append("a password or certificate")
        }
        if changed.isEmpty {
            log.info(
                "the configuration was read again: nothing to change", ["file": reloading.path])
        } else {
            log.info(
                "the configuration was read again",
                ["file": reloading.path, "changed": changed.joined(separator: ", ")])
        }

        var limits = OutboxLimits(configuration.outbox)
        limits.maxSightings = outbox.limits.maxSightings
        settings.limits = limits
        outbox.limits = limits
        // One that is as it was is reported again, and one that was refused is tried again.
        reconciler?.on(local: configuration.lowestLayer, at: now)
        if news.change.taken.contains("metrics.textfile") {
            metricsFile?.remove()
            metricsFile = configuration.metricsPath.map { MetricsFile($0) }
            writeMetrics(health(at: now), at: now)
        }
        if news.change.taken.contains(where: { $0.hasPrefix("homeAssistant") }) {
            show(configuration.homeAssistant)
        }
        if news.change.taken.contains("radio.reference") {
            references.post(configuration.references)
        }
        if let brokers = news.brokers {
            renewal = Renewal(
                brokers: brokers, deadline: now.advanced(byMicroseconds: Self.leavingTime))
        }
    }

    /// Leaves the broker for those of a new configuration. What it has not acknowledged by then goes to them.
    func moveOn(at now: Instant) {
        guard let renewal else { return }
        guard let connection, connection.isConnected, now < renewal.deadline else {
            // Without a farewell: what remains is for the will to say.
            forgetConnection()
            return renew()
        }
        guard connection.unacknowledged == 0 else { return }
        // Nobody knows when, and whether, there is a next connection.
        if announcement == .offline { connection.disconnect() } else { announce(.offline) }
    }

    /// From here on with the new brokers, as if the agent had just started.
    func renew() {
        guard let renewal, let first = renewal.brokers.usable.first else { return }
        self.renewal = nil
        let known = [settings.broker] + settings.alternatives
        // Of a broker that stays, it is known what stood on its status topic.
        rivalries = renewal.brokers.usable.map { broker in
            let index = known.firstIndex { $0.connection.isSameClient(as: broker.connection) }
            return index.map { rivalries[$0] } ?? newRivalry
        }
        settings.broker = first
        settings.alternatives = Array(renewal.brokers.usable.dropFirst())
        reconnect = Self.reconnect(settings)
        lookups = [:]
        lookupsEnd = nil
        lastFailures = [:]
        toldRefusals = ToldRefusals()
        isLossUnexplained = false
        retry = Self.now
    }
}

extension ConnectionSettings {
    /// Whether it is the same broker, under the same name.
    fileprivate func isSameClient(as other: ConnectionSettings) -> Bool {
        address == other.address && clientID == other.clientID
    }
}

extension OutboxLimits {
    package init(_ settings: OutboxSettings) {
        self.init(
            maxBytes: Int(settings.maxBytes), maxAgeHours: Int(settings.maxAgeHours),
            spillAfterMs: Int(settings.spillAfterMs),
            backlogPerSecond: Int(settings.backlogPerSecond),
            holdUnsyncedMs: Int(settings.holdUnsyncedMs))
    }
}
