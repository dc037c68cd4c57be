import Configuration
import Contract
import Inventory
import JSON
import Posix
import Primitives
import Queueing
import Ranging
import Regions
import Results

/// The file of `sightline-server`.
package struct ServerConfiguration: ConfigurationSection {
    /// What the server keeps of persons.
    package enum Privacy: String, CaseIterable, Sendable {
        /// Sums and histograms. No visit is stored, and evidence ends with its day.
        case counts
        /// Visits and evidence for 24 hours, and until their day is closed, with pseudonyms of their day.
        case day
    }

    /// The server's name, in its topic and its client identifier.
    package var id = "server"
    package var broker: BrokerSettings?
    package var topicRoot = Topics.usualRoot
    package var resultsRoot = ResultTopics.usualRoot
    package var http = HTTPSettings()
    /// As the file has it; see `StateDirectory` for the default.
    package var stateDirectory: String?
    package var store: StoreSettings?
    package var retention = RetentionSettings()
    package var privacy = Privacy.day
    package var allowedLateness = Duration.seconds(3600)
    package var sites: [SiteLayout] = []
    package var homeAssistant: QueueDiscoverySettings?
    package var webhook: WebhookSettings?
    package var log = LogSettings()

    package init() {}

    package static let help = "The configuration of sightline-server."
    /// Every key of the file, in the order of the example.
    package static let keys: [ConfigurationKey<ServerConfiguration>] =
        [
            .group(
                "server",
                [
                    .value(
                        "id", \.id, .name, effect: .afterRestart,
                        help:
                            "The server's name. No two servers of a broker share it: they would end "
                            + "each other's connection. sightline-server init writes the name of the "
                            + "only site, else the host name.")
                ], help: "The name of this server."),
            .optionalSection("mqtt", \.broker, more: mqtt),
            .section("http", \.http),
            .optional(
                "stateDirectory", \.stateDirectory, .path, effect: .afterRestart,
                example: "/var/lib/sightline-server",
                help: "The folder for the store and the keys of the day. Two servers never share a "
                    + "folder. The default is systemd's $STATE_DIRECTORY, else sightline-server in "
                    + "$XDG_STATE_HOME."),
            .optionalSection("store", \.store),
            .section("retention", \.retention),
            .value(
                "privacy", \.privacy, .word, effect: .afterRestart,
                help:
                    "counts: the server stores and publishes no visits, and removes evidence when its day is closed. "
                    + "day: it keeps visits and evidence for 24 hours, and until their day is closed, "
                    + "with pseudonyms of their day."),
            .value(
                "allowedLatenessMs", \.allowedLateness, .milliseconds(in: 10_000...43_200_000),
                effect: .afterRestart,
                help: "A message may arrive so much later than newer ones. A minute is final after "
                    + "this time, or when all its messages are there."),
        ] + QueueConfiguration.keys.map { $0.lifted(to: \.queues) } + [
            .optionalSection("homeAssistant", \.homeAssistant),
            .optionalSection("webhook", \.webhook),
            .section("log", \.log),
        ]

    private static let mqtt: [ConfigurationKey<ServerConfiguration>] = [
        .value(
            "root", \.topicRoot, .topicRoot, effect: .afterRestart,
            help: "The beginning of the gateways' topics."),
        .value(
            "resultsRoot", \.resultsRoot, .topicRoot, effect: .afterRestart,
            help: "The beginning of the topics with results."),
    ]

    package mutating func complete(_ reader: inout ObjectReader) {
        queues.complete(&reader)
        if !reader.has("mqtt") { reader.note("mqtt", .missing, "mqtt is required") }
    }

    /// The sites as `sightline queue` reads them.
    package var queues: QueueConfiguration {
        get { QueueConfiguration { $0.sites = sites } }
        set { sites = newValue.sites }
    }

    /// The largest file that is read.
    package static let maxBytes = QueueConfiguration.maxBytes

    /// Reads the file's bytes; throws all faults.
    package init(parsing bytes: [UInt8]) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: Self.maxBytes, allowingComments: true
        ) { ServerConfiguration(from: &$0) }
    }

    /// Reads the file at `path`; throws a line for each fault.
    package static func load(path: String) throws(ConfigurationError) -> ServerConfiguration {
        try ServerConfiguration(parsing: try read(path: path), of: path)
    }

    /// The bytes of the file at `path`.
    package static func read(path: String) throws(ConfigurationError) -> [UInt8] {
        do throws(TextFile.Unreadable) {
            return try TextFile.contents(of: path, maxBytes: maxBytes)
        } catch {
            let remedy =
                error == .system(.noSuchFile)
                ? "; 'sightline-server init' writes one, --config names another" : ""
            throw ConfigurationError(lines: [
                "\(path.printable(limit: 1000)): can't be read: \(error)\(remedy)"
            ])
        }
    }

    /// Reads the bytes of the file at `path`; throws a line for each fault.
    package init(parsing bytes: [UInt8], of path: String) throws(ConfigurationError) {
        do throws(Faults) {
            try self.init(parsing: bytes)
        } catch {
            throw ConfigurationError(lines: error.list.map { $0.line(of: path) })
        }
    }
}

/// How long the server keeps results: the section `retention` of its file.
package struct RetentionSettings: ConfigurationSection {
    package var minutesDays = 400
    package var hoursDays = 3660
    package var maxMebibytes = 4096

    package init() {}

    package static let help =
        "How long the server keeps results. Visits and evidence end after 24 hours, once their day is "
        + "closed: with the day on which clocks are set back, after 25 hours and some minutes. A "
        + "damaged store that was set aside ends after the same time."
    package static let keys: [ConfigurationKey<RetentionSettings>] = [
        .value(
            "minutesDays", \.minutesDays, .integer(in: 1...3660), effect: .afterRestart,
            help: "The number of days for which minutes are kept."),
        .value(
            "hoursDays", \.hoursDays, .integer(in: 1...36_600), effect: .afterRestart,
            help: "The number of days for which hours, days and labels of places are kept."),
        .value(
            "maxMebibytes", \.maxMebibytes, .integer(in: 64...1_048_576), effect: .afterRestart,
            help: "The size of the store. Above it, the oldest minutes are removed first."),
    ]
}

/// A kind of result whose present state a server publishes for each item of a site.
package struct PresentKind: Sendable {
    package let kind: ResultKind
    /// The parameters of an item's path in the API.
    package var parameters: [String]
    /// Whether everybody may read it, and the lists of all items have it.
    package var isPublic = true
    /// The shortest and the longest time between two publications.
    package var pace = Duration.seconds(1)...ResultTopics.longestPause
    /// How soon a person should do something: the smallest number comes first in lists. `nil` leaves the order of the configuration.
    package var urgency: (@Sendable (JSON) -> Double)?
    /// The names of a site's items, in the order of the configuration.
    package let items: @Sendable (SiteLayout) -> [String]

    private init(_ kind: ResultKind, items: @escaping @Sendable (SiteLayout) -> [String]) {
        self.kind = kind
        parameters = [kind.name]
        self.items = items
    }

    /// The key of a list of such items.
    package var list: String { kind.topic?.items ?? kind.name }

    package static let queues = PresentKind(QueueResult.kind) { $0.queues.map(\.name) }
    package static let regions = PresentKind(RegionResult.kind) { $0.regions.map(\.name) }
    /// The registered beacons: a site may have thousands.
    package static let beacons = {
        var kind = PresentKind(BeaconResult.kind) { $0.beacons.registered.items }
        kind.parameters = ["uuid", "major", "minor"]
        kind.isPublic = false
        kind.pace = .seconds(10)...(.seconds(300))
        kind.urgency = BeaconWork.withinDays
        return kind
    }()

    /// The places of registered beacons, on a site with a plan or zones of labels.
    package static let places = {
        var kind = PresentKind(PlaceResult.kind) {
            $0.plan == nil && $0.planZones.isEmpty ? [] : $0.beacons.registered.items
        }
        kind.parameters = beacons.parameters
        kind.isPublic = false
        kind.pace = .seconds(2)...(.seconds(300))
        return kind
    }()

    /// The zones of the plan or of labels.
    package static let zones = {
        var kind = PresentKind(ZoneResult.kind) { $0.planZones }
        kind.pace = .seconds(2)...ResultTopics.longestPause
        return kind
    }()

    /// Topics, the API, its stream, metrics, discovery and the table without JavaScript take the kinds from this list.
    package static let all = [queues, regions, beacons, places, zones]
    package static let named = all.filter(\.isPublic)
}

/// The kinds of results that a server publishes. Each has a schema.
package enum PublishedKinds {
    package static let all =
        PresentKind.all.map(\.kind) + [
            MinuteResult.kind, VisitResult.kind, RegionEventResult.kind, BeaconEventResult.kind,
            ServerStatus.kind,
        ]
}

/// The queues in Home Assistant: the section `homeAssistant` of the server's file.
package struct QueueDiscoverySettings: ConfigurationSection {
    /// The topic prefix of discovery documents.
    package var discoveryPrefix = HomeAssistantSettings.usualPrefix

    package init() {}

    package static let help =
        "The queues in Home Assistant. Without this section, the server publishes nothing for Home "
        + "Assistant."
    package static let keys: [ConfigurationKey<QueueDiscoverySettings>] = [
        .value(
            "discoveryPrefix", \.discoveryPrefix, .topicRoot,
            help: "The topic prefix where Home Assistant looks for discovery documents.")
    ]
}
