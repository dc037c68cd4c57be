import Configuration
import Contract
import Logging
import MQTT
import Posix
import Primitives
import ServerConfiguration
import Store
import Subscriber

/// Makes sites and the connection to their broker from the configuration, at the start and after a reload.
final class SiteSource {
    /// What a reload brings.
    struct Change {
        let sites: [SiteService]
        /// `nil` if the present connection has the topics of all sites.
        let link: BrokerLink?
    }

    private var reloading: ServerReload
    private let file: String
    private let store: Store
    private let keys: DayKeys
    private let session: Session
    private let log: Log

    /// The broker keeps messages for an absent server for a day. Older ones are of a closed day.
    private static let sessionExpirySeconds: UInt32 = 86_400
    /// More than brokers have in flight by default (mosquitto: 20).
    private static let receiveMaximum: UInt16 = 200

    init(
        _ configuration: ServerConfiguration, file: String, store: Store, keys: DayKeys,
        session: Session, log: Log
    ) {
        reloading = ServerReload(configuration, path: file)
        self.file = file
        self.store = store
        self.keys = keys
        self.session = session
        self.log = log
    }

    /// All sites of the configuration, each with its day from the store.
    func sites(wallMs: Int64, at now: Instant) -> [SiteService] {
        configuration.sites.map { recovery.site($0, wallMs: wallMs, at: now) }
    }

    /// Reads the configuration again.
    ///
    /// - Returns: `nil` after a fault, which is logged: everything stays.
    func reload(keeping sites: [SiteService], wallMs: Int64, at now: Instant) -> Change? {
        guard let change = reloading.read(log: log) else { return nil }
        let new = configuration.sites.map { layout in
            if !change.changed.contains(layout.site),
                let site = sites.first(where: { $0.layout == layout })
            {
                return site
            }
            return recovery.site(layout, wallMs: wallMs, at: now)
        }
        return Change(sites: new, link: change.hasOtherSites ? try? link() : nil)
    }

    /// A connection with the topics of all sites. Reads the password.
    func link() throws(SightlineServer.Exit) -> BrokerLink {
        guard let broker = configuration.broker else {
            throw SightlineServer.report(["\(file): /mqtt: mqtt is required"], .wrong)
        }
        var settings: ConnectionSettings
        do throws(PasswordFile.Unusable) {
            let (connection, warning) = try broker.connection(
                usualClientID: "sightline-server/\(configuration.id)")
            if let warning { log.warning(warning) }
            settings = connection
        } catch {
            throw SightlineServer.report(["\(error)"], .wrong)
        }
        settings.maximumPayload = SightingsMessage.maxBytes
        settings.reading = DurableReading(
            expirySeconds: Self.sessionExpirySeconds, receiveMaximum: Self.receiveMaximum)
        let filters = configuration.sites.flatMap {
            Ingest.filters(root: configuration.topicRoot, site: $0.site)
        }
        let will = Will(
            topic: ResultTopics(root: configuration.resultsRoot).status(of: configuration.id),
            payload: ServerStatusMessage(isOnline: false, session: session, isDurable: true)
                .encoded)
        return BrokerLink(settings, filters: filters, will: will)
    }

    private var configuration: ServerConfiguration { reloading.configuration }

    private var recovery: SiteRecovery {
        SiteRecovery(configuration, store: store, keys: keys, log: log)
    }
}
