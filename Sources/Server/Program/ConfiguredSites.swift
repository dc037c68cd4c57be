import Configuration
import Contract
import HTTP
import JSON
import Logging
import MQTT
import Posix
import Primitives
import Queueing
import ResultStore
import Results
import ServerConfiguration
import Session
import Subscriber

/// Makes sites and the connection to their broker from the configuration, at the start and after a reload.
final class ConfiguredSites {
    /// What a reload brings.
    struct Change {
        let configuration: ServerConfiguration
        let policy: AccessPolicy
        let sites: [Site]
        /// Sites that are new or have another layout.
        let recoveries: [DayRecovery]
        /// The connection that replaces the present one; `nil` if that one goes on, or begins again.
        let link: BrokerSession?
        /// Why the connection begins again; `nil` if it goes on.
        let interruption: String?
        /// What changes now.
        let applied: [String]
    }

    private var reloading: ServerReload
    private let store: any ResultStore
    private let keys: DayKeys
    private let session: Session
    private let log: Log

    /// The broker keeps messages for an absent server for a day. Older ones are of a closed day.
    private static let sessionExpirySeconds: UInt32 = 86_400
    /// A server that was away for longer begins with the present day, if it can't read its store.
    private static let mostDaysAway = 16
    /// More than brokers have in flight by default (mosquitto: 20).
    private static let receiveMaximum: UInt16 = 200
    /// The messages that a commit waits for: fewer than brokers have in flight by default.
    private static let batch: UInt16 = 16
    /// How the server reads from its broker.
    static let durableReading = DurableReading(
        expirySeconds: sessionExpirySeconds, receiveMaximum: receiveMaximum, batch: batch)

    init(
        _ configuration: ServerConfiguration, _ files: ServerFiles, file: String,
        store: any ResultStore,
        keys: DayKeys, session: Session, log: Log
    ) {
        reloading = ServerReload(configuration, files, path: file)
        self.store = store
        self.keys = keys
        self.session = session
        self.log = log
    }

    /// All sites of the configuration, each at its stored day.
    ///
    /// - Parameter certainty: of the time. While it is not confirmed, the last stored day goes on.
    func recoveries(wall: UnixTime, _ certainty: TimeCertainty = .certain) -> [DayRecovery] {
        configuration.sites.map { recovery(of: $0, wall: wall, certainty) }
    }

    /// Reads the configuration again.
    ///
    /// - Returns: `nil` after a fault, which is logged: everything stays.
    func reload(
        keeping sites: [Site], wall: UnixTime, _ certainty: TimeCertainty
    ) -> Change? {
        guard let change = reloading.read(log: log) else { return nil }
        var recoveries: [DayRecovery] = []
        let new = configuration.sites.map { layout in
            if let site = sites.first(where: { $0.layout == layout }) {
                do throws(StoreFailure) {
                    try site.use(reloading.registries, wall: wall)
                } catch {
                    log.warning(
                        "labels of places can't be read; retrying",
                        ["site": layout.site, "fault": "\(error)"])
                }
                return site
            }
            let recovery = recovery(of: layout, wall: wall, certainty)
            recoveries.append(recovery)
            return recovery.site
        }
        return Change(
            configuration: configuration, policy: change.policy, sites: new,
            recoveries: recoveries,
            link: change.hasOtherSites || change.hasOtherAccess ? link() : nil,
            interruption: Self.interruption(change, isFoldedAgain: !recoveries.isEmpty),
            applied: change.applied)
    }

    private static func interruption(
        _ change: ServerReload.Change, isFoldedAgain: Bool
    ) -> String? {
        if change.hasOtherAccess {
            return "the configuration has another broker, password or certificate"
        }
        if change.hasOtherSites { return "the configuration has other sites" }
        return isFoldedAgain
            ? "the configuration of a site has changed: its day is folded again" : nil
    }

    /// A connection with the topics of all sites.
    func link() -> BrokerSession {
        var settings = reloading.access.settings
        settings.maximumPayload = SightingsMessage.maxBytes
        settings.reading = Self.durableReading
        let filters = configuration.sites.flatMap { self.filters(of: $0.site) }
        let will = Will(
            topic: ResultTopics(root: configuration.resultsRoot).status(of: configuration.id),
            payload: ServerStatus(isOnline: false, session: self.session, isDurable: nil)
                .json.bytes)
        var session = BrokerSession.Settings(
            settings, reloading.access.version, filters: filters)
        session.will = will
        // No person waits: one slow answer is no reason for another version.
        session.patience = Reconnect.patience
        session.rivalHints = rivalHints
        return BrokerSession(session)
    }

    /// About another server with the same client identifier.
    var rivalHints: RivalHints {
        let key = configuration.broker?.clientId == nil ? "server.id" : "mqtt.clientId"
        return RivalHints(
            clientID: reloading.access.settings.clientID,
            remedy: "give each server its own \(key)")
    }

    /// The topics of a site that the server reads.
    func filters(of site: String) -> [String] {
        Ingest.filters(
            root: configuration.topicRoot,
            results: ResultTopics(root: configuration.resultsRoot), site: site)
    }

    var configuration: ServerConfiguration { reloading.configuration }

    /// The running day of a site without one in the store. While the file can't be read, the keys tell it.
    private func unreadDay(of site: String, _ wall: UnixTime) -> LocalDay {
        var day = LocalDay(containing: wall)
        guard !store.isOpen else { return day }
        let open = keys.days(of: site)
        var running = day
        for _ in 0..<Self.mostDaysAway {
            day = LocalDay(containing: day.span.lowerBound - .milliseconds(1))
            if open.contains(day.name) { running = day }
        }
        return running
    }

    /// A site at the beginning of its last stored day.
    private func recovery(
        of layout: SiteLayout, wall: UnixTime, _ certainty: TimeCertainty
    ) -> DayRecovery {
        let stored: (day: UnixTime, levels: [UInt8])?
        do throws(StoreFailure) {
            stored = try store.levels(of: layout.site, at: certainty == .unconfirmed ? .max : wall)
        } catch {
            stored = nil
            log.error(
                "levels can't be read from the store: the gateways learn again",
                ["site": layout.site, "reason": error])
        }
        let levels = stored.flatMap { try? JSON(parsing: $0.levels, maxBytes: 4 << 20) }
            .flatMap { try? LearntLevels($0) }
        if stored != nil, levels == nil {
            log.error(
                "stored levels are damaged: the gateways learn again", ["site": layout.site])
        }
        let day = OpenDay(
            stored.map { LocalDay(containing: $0.day) } ?? unreadDay(of: layout.site, wall),
            layout, levels: levels ?? LearntLevels(),
            allowedLateness: configuration.allowedLateness)
        let site = Site(
            layout, day, allowedLateness: configuration.allowedLateness,
            keepsVisits: configuration.privacy == .day, keys: keys, store: store, wall: wall,
            registries: reloading.registries)
        return DayRecovery(site, store: store, log: log)
    }
}
