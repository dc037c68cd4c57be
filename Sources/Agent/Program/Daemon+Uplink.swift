import Glibc
import MQTT
import Messages
import Outbox
import Posix

extension Daemon.Run {
    /// What the uplink needs to know; reads the password's file.
    ///
    /// - Throws: wrong configuration, after having said so.
    func uplinkSettings() throws(Daemon.Exit) -> Uplink.Settings {
        guard let broker = configuration.broker else {
            throw Daemon.complain(["mqtt is missing in the configuration"], .wrong)
        }
        var connection = ConnectionSettings(host: broker.host, port: broker.port)
        connection.username = broker.username
        connection.keepAliveSeconds = broker.keepAliveSeconds
        // Nothing else comes.
        connection.maximumPayload = LayerDocument.maxBytes
        let topics = configuration.topics
        connection.clientID = broker.clientId ?? "sightline-\(topics.site)-\(topics.gateway)"
        if let path = broker.passwordFile {
            do throws(PasswordFile.Unusable) {
                let file = try PasswordFile(path: path)
                if let warning = file.warning { log.warning(warning) }
                connection.password = file.password
            } catch {
                throw Daemon.complain([error.description], .wrong)
            }
        }
        if let tls = broker.tls {
            connection.tls = TLSSettings(caFile: tls.caFile)
            if let certFile = tls.certFile, let keyFile = tls.keyFile {
                connection.tls?.client = .init(certFile: certFile, keyFile: keyFile)
            }
        }
        let choice: Reconnect.Choice =
            switch broker.protocolVersion {
            case .auto: .automatic
            case .v5: .fixed(.v5)
            case .v311: .fixed(.v311)
            }
        var settings = Uplink.Settings(
            topics: topics, session: session, version: Version.current, broker: connection,
            protocolChoice: choice,
            limits: OutboxLimits(
                maxBytes: Int(configuration.outbox.maxBytes),
                maxAgeHours: Int(configuration.outbox.maxAgeHours),
                spillAfterMs: Int(configuration.outbox.spillAfterMs),
                backlogPerSecond: Int(configuration.outbox.backlogPerSecond),
                holdUnsyncedMs: Int(configuration.outbox.holdUnsyncedMs)),
            restamps: isLive)
        settings.isPatient = !isLive
        settings.limits.maxSightings = Int(configuration.tuning.report.maxSightingsPerMessage)
        guard isLive else { return settings }
        settings.boot = Boot.id ?? ""
        settings.disk = outboxPath.map {
            DatabaseFile(path: $0, maxBytes: settings.limits.maxBytes)
        }
        if settings.disk == nil {
            log.warning("no state directory is known: what waits will not outlast the agent")
        }
        return settings
    }

    /// The outbox's file; `nil` when nobody says where.
    private var outboxPath: String? {
        if let path = configuration.outbox.path { return path }
        return StateDirectory.path(configured: configuration.stateDirectory) {
            getenv($0).map { String(cString: $0) }
        }.map { $0 + "/outbox.sqlite" }
    }
}
