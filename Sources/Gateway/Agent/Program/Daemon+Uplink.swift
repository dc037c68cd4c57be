import Configuration
import Contract
import Glibc
import HomeAssistant
import Logging
import Outbox
import Posix
import Primitives

extension Daemon {
    /// The one argument of the uplink's process. It is internal, so the help does not name it.
    static let uplinkArgument = "--uplink"

    /// The program of the uplink's process.
    static func runUplink() throws(Exit) {
        do throws(Errno) {
            // Before the first byte of a broker: what a broker sends can end this process, and no more.
            try Privileges.drop()
        } catch {
            throw report(["can't give up the capabilities of the uplink: \(error)"], .failed)
        }
        Subprocess.followParent()
        let port = UplinkPort(Descriptor(owning: Subprocess.descriptor))
        guard let start = port.takeStart() else {
            throw report(["\(uplinkArgument) is for sightlined itself"], .wrong)
        }
        let run = try Run(start)
        let uplink = Uplink(try run.uplinkSettings(start), port: port, log: run.log)
        do throws(Errno) { try uplink.run() } catch {
            throw report(["the uplink ended: \(error)"], .failed)
        }
        // The end of the connection is the end of the process.
        withExtendedLifetime(port) {}
    }
}

extension Daemon.Run {
    /// The run of the radio's process, as its uplink needs it.
    fileprivate init(_ start: UplinkStart) throws(Daemon.Exit) {
        func parse(_ bytes: [UInt8]) throws(Daemon.Exit) -> LocalConfiguration {
            do throws(ConfigurationError) {
                return try LocalConfiguration(
                    parsing: bytes, of: start.path, requiresBroker: true)
            } catch {
                throw Daemon.report(error.lines, .wrong)
            }
        }
        var configuration = try Daemon.use(start.source, in: try parse(start.configuration))
        if let reloaded = start.reloaded {
            let new = try Daemon.use(start.source, in: try parse(reloaded))
            configuration = ConfigurationChange(from: configuration, to: new).configuration
        }
        self.init(
            configuration: configuration, isForStandardOutput: false,
            log: Log(configuration.log), session: start.session, file: start.path, document: [],
            source: start.source)
    }

    /// The settings of the uplink, with what an earlier one left. Reads the password files.
    ///
    /// - Throws: wrong configuration. The error is already written.
    fileprivate func uplinkSettings(_ start: UplinkStart) throws(Daemon.Exit) -> Uplink.Settings {
        var settings = try uplinkSettings()
        settings.health.notifies = start.hasServiceManager
        settings.health.isReady = start.isReady
        settings.began = start.began
        if start.generation > 0 {
            settings.predecessor = Uplink.Predecessor(
                account: start.account ?? UplinkAccount(), batches: start.batches)
        }
        guard isLive else { return settings }
        let layers = SavedLayers(configuration, start.layers, log: log)
        settings.store = layers.store
        // Requests of an earlier uplink may still be answered.
        settings.reconciler = layers.reconciler(firstRequest: start.generation << 32 | 1)
        return settings
    }

    /// The source of the batches.
    var origin: Origin {
        Origin(
            session: session.description, boot: isLive ? Boot.id ?? "" : "",
            place: configuration.topics.place)
    }

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
                isSourceGiven: source != nil)
        }
        settings.health.metricsPath = configuration.metricsPath
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

/// Decides when a new uplink follows one that ended, and what to log.
struct UplinkRestarts {
    /// The shortest and the longest wait.
    private static let waits: ClosedRange<Duration> = .seconds(1) ... .seconds(60)

    private var wait = Self.waits.lowerBound
    private var began: Instant?
    /// The cause in the log; `nil` after an uplink that lasted.
    private var logged: String?

    mutating func began(at now: Instant) { began = now }

    /// The uplink has delivered something.
    mutating func delivered() { wait = Self.waits.lowerBound }

    /// An uplink ended.
    ///
    /// - Returns: the wait until the next one, and whether to log the cause.
    mutating func ended(_ cause: String, at now: Instant) -> (wait: Duration, isNew: Bool) {
        // It lasted: the cause was gone, and may have come again.
        if let began, now - began > Self.waits.upperBound { logged = nil }
        defer {
            wait = min(wait * 2, Self.waits.upperBound)
            logged = cause
        }
        return (wait, cause != logged)
    }
}
