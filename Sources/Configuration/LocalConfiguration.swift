import Beacons
import Contract
import JSON
import Posix

/// The local file: the gateway's name, its broker, and the lowest layer of the settings.
package struct LocalConfiguration: Equatable, Sendable {
    /// Site, gateway and root.
    package var topics: Topics
    /// `nil` only where messages go to standard output.
    package var broker: BrokerSettings?
    /// The brokers to try, in their order, when the first one does not accept the connection.
    package var alternatives: [BrokerSettings] = []
    package var source = RadioSource.usual
    package var radio = RadioSettings()
    /// Beacons that the radio must always receive: their silence is the radio's fault.
    package var references: [BeaconIdentity] = []
    /// The settings where no layer has others.
    package var settings = GatewaySettings()
    /// The file's members of these settings, for the layers to be merged over.
    package var lowestLayer = JSON.object([])
    /// Identities followed in one window: a bound on memory, so no layer can set it.
    package var maxIdentities = 100_000
    package var outbox = OutboxSettings()
    /// As the file has it; see `StateDirectory` for the default.
    package var stateDirectory: String?
    /// The file for Prometheus' metrics; `nil` for none.
    package var metricsPath: String?
    /// `nil` where nothing is published for Home Assistant.
    package var homeAssistant: HomeAssistantSettings?
    package var log = LogSettings()

    /// The random static address of the gateway, where the controller has no public one.
    package var randomAddress: DeviceAddress {
        DeviceAddress(randomStaticOf: "\(topics.site)/\(topics.gateway)")
    }

    package init(topics: Topics) { self.topics = topics }
}

extension LocalConfiguration {
    /// The largest file that is read.
    package static let maxBytes = 1 << 20

    /// Reads the file's bytes; throws all faults.
    ///
    /// The section `mqtt` may be left out only where no broker is required: where messages go to standard output.
    package init(parsing bytes: [UInt8], requiresBroker: Bool) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: Self.maxBytes, allowingComments: true
        ) { reader in
            var configuration = LocalConfiguration(topics: .unnamed)
            Self.keys.read(&reader, &configuration)
            if requiresBroker, !reader.has("mqtt") {
                reader.note(
                    "mqtt", .missing, "mqtt is required, unless messages go to standard output")
            }
            configuration.lowestLayer = GatewaySettings.lowestLayer(in: &reader)
            return configuration
        }
    }
}

extension GatewaySettings {
    /// The members of the local file that a layer could have as well.
    fileprivate static func lowestLayer(in reader: inout ObjectReader) -> JSON {
        .object(
            keys.compactMap { section in
                guard case .object(let members)? = reader.json(section.name) else { return nil }
                let names = section.members?.map(\.name) ?? []
                return .init(section.name, .object(members.filter { names.contains($0.key) }))
            })
    }
}

/// Why a configuration file can't be used: a line for each fault.
package struct ConfigurationError: Error, Equatable, Sendable {
    /// `FILE: POINTER: SENTENCE`.
    package let lines: [String]

    package init(lines: [String]) { self.lines = lines }
}

extension LocalConfiguration {
    /// Reads the file at `path`; throws a line for each fault.
    package static func load(
        path: String, requiresBroker: Bool
    ) throws(ConfigurationError) -> LocalConfiguration {
        try LocalConfiguration(
            parsing: try read(path: path), of: path, requiresBroker: requiresBroker)
    }

    /// The bytes of the file at `path`.
    package static func read(path: String) throws(ConfigurationError) -> [UInt8] {
        do throws(TextFile.Unreadable) {
            return try TextFile.contents(of: path, maxBytes: maxBytes)
        } catch {
            throw ConfigurationError(lines: ["\(path): can't be read: \(error)"])
        }
    }

    /// Reads the bytes of the file at `path`; throws a line for each fault.
    package init(
        parsing bytes: [UInt8], of path: String, requiresBroker: Bool
    ) throws(ConfigurationError) {
        do throws(Faults) {
            self = try LocalConfiguration(parsing: bytes, requiresBroker: requiresBroker)
        } catch {
            throw ConfigurationError(lines: error.list.map { $0.line(of: path) })
        }
    }
}

extension LocalConfiguration {
    /// The most beacons that must always be received: the agent compares each report with all of them.
    package static let maxReferences = 16
    /// The most brokers beside the first: the agent waits for each of them in turn.
    package static let maxAlternatives = 8

    /// Every key of the file, in the order of the example.
    package static let keys: [ConfigurationKey<LocalConfiguration>] = [
        .group("gateway", gateway, isRequired: true, help: "The name of this gateway."),
        .optionalSection("mqtt", \.broker, more: mqtt),
        .group(
            "radio", radio + RadioSettings.keys.map { $0.lifted(to: \.radio) },
            help: "The source of advertising reports."),
        .section("report", \.settings.report, more: report),
        .section("filter", \.settings.filter),
        .optionalSection("advertise", \.settings.advertise),
        .section("outbox", \.outbox),
        .optional(
            "stateDirectory", \.stateDirectory, .path, effect: .afterRestart,
            example: "/var/lib/sightline",
            help: "The folder for the outbox and the layers in force. Two agents never share a "
                + "folder. The default is systemd's $STATE_DIRECTORY, else sightline in "
                + "$XDG_STATE_HOME."),
        .group("metrics", metrics, help: "Health as metrics for Prometheus."),
        .optionalSection("homeAssistant", \.homeAssistant),
        .section("log", \.log),
    ]

    private static let gateway: [ConfigurationKey<LocalConfiguration>] = [
        .value(
            "site", \.topics.site, .name, isRequired: true, effect: .afterRestart,
            example: "store-042", help: "The site of the gateway."),
        .value(
            "id", \.topics.gateway, .name, isRequired: true, effect: .afterRestart,
            example: "entry-1", help: "The gateway. No two gateways of a site share an id."),
    ]

    private static let mqtt: [ConfigurationKey<LocalConfiguration>] = [
        .value(
            "root", \.topics.root, .topicRoot, effect: .afterRestart,
            help: "The beginning of all topics."),
        .value(
            "alternatives", \.alternatives, .alternatives,
            example: [
                ["host": "broker-2.example"],
                ["host": "192.0.2.7", "port": 1883, "tls": .null],
            ],
            help: "More brokers, which the gateway tries in this order when the first one does not "
                + "accept the connection. Each inherits all keys of the first one but root; null "
                + "removes a key."),
    ]

    private static let radio: [ConfigurationKey<LocalConfiguration>] = [
        .value(
            "source", \.source, .radioSource, effect: .afterRestart,
            help: "hci0: a Bluetooth adapter, shared with the system. "
                + "hci0:user: an adapter that only the agent can use. "
                + "h4:unix:PATH or h4:tcp:HOST:PORT: a controller behind a socket. "
                + "replay:FILE: a btsnoop capture; replay:FILE#hci1: of one adapter."
        ),
        .value(
            "reference", \.references, .beacons(atMost: maxReferences),
            help:
                "Beacons that the gateway must always receive: fixed ones, or neighbouring gateways. "
                + "Their silence shows that the radio hangs. Such as "
                + "[{\"uuid\": \"e2c56db5-dffb-48d2-b060-d0f5a71096e0\", \"major\": 42, \"minor\": 9}]."
        ),
    ]

    private static let report: [ConfigurationKey<LocalConfiguration>] = [
        .value(
            "maxIdentities", \.maxIdentities, .integer(in: 1...1_000_000), effect: .afterRestart,
            help:
                "The beacons that the gateway follows at the same time. Layers can't set this key.")
    ]

    private static let metrics: [ConfigurationKey<LocalConfiguration>] = [
        .optional(
            "textfile", \.metricsPath, .metricsPath, example: "/run/sightline/sightline.prom",
            help:
                "A file for node_exporter's textfile collector. Its name ends in .prom. The agent "
                + "replaces it every 30 seconds, and removes it when it ends. A folder in memory "
                + "spares the disk.")
    ]
}

extension KeyType<[BrokerSettings]> {
    fileprivate static let alternatives = KeyType(
        schema: [
            "type": "array", "maxItems": .integer(Int64(LocalConfiguration.maxAlternatives)),
            "items": BrokerSettings.keys.patchSchema(),
        ],
        limits: "at most \(LocalConfiguration.maxAlternatives)",
        json: { .array($0.map(\.json)) }
    ) { reader, key in
        reader.variants(key, without: ["root"], atMost: LocalConfiguration.maxAlternatives) {
            BrokerSettings(from: &$0)
        }
    }
}
