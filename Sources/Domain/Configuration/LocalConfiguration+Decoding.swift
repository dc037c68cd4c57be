import Beacons
import Contract
import JSON

extension LocalConfiguration {
    /// The largest file that is read.
    package static let maxBytes = 1 << 20
    /// The most beacons that may have to be heard always: each beacon that is heard is compared with all of them.
    package static let maxReferences = 16
    /// The most brokers beside the first: each costs the time that it takes not to answer.
    package static let maxAlternatives = 8

    /// Reads the file's bytes; throws all faults at once.
    ///
    /// The section `mqtt` may be left out only where no broker is required: where messages go to standard output.
    package init(parsing bytes: [UInt8], requiresBroker: Bool) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: Self.maxBytes, allowingComments: true
        ) { reader in
            LocalConfiguration(from: &reader, requiresBroker: requiresBroker)
        }
    }

    private init?(from reader: inout ObjectReader, requiresBroker: Bool) {
        let gateway = reader.object("gateway") { gateway in
            (site: gateway.topicName("site"), id: gateway.topicName("id"))
        }
        let mqtt = reader.optionalObject("mqtt") { mqtt in
            (
                broker: BrokerSettings(from: &mqtt),
                root: mqtt.optionalParsed("root", expecting: Topics.rootRule) {
                    Topics.isRoot($0) ? $0 : nil
                },
                alternatives: mqtt.variants(
                    "alternatives", without: ["root"], atMost: Self.maxAlternatives
                ) { BrokerSettings(from: &$0) }
            )
        }
        if requiresBroker, !reader.has("mqtt") {
            reader.note("mqtt", .missing, "mqtt is required, unless messages go to standard output")
        }
        let radio = reader.optionalObject("radio") { radio in
            (
                source: RadioSource(from: &radio),
                references: radio.objects("reference", atMost: Self.maxReferences) {
                    Identity(from: &$0)
                }
            )
        }
        let report = reader.optionalObject("report") { report in
            (
                settings: ReportSettings(from: &report),
                maxIdentities: report.integer("maxIdentities", in: 1...1_000_000, default: 100_000)
            )
        }
        let filter = reader.optionalObject("filter") { FilterSettings(from: &$0) }
        let advertise = reader.optionalObject("advertise") {
            AdvertiseSettings(from: &$0, isWhole: true)
        }
        let outbox = reader.optionalObject("outbox") { OutboxSettings(from: &$0) }
        let stateDirectory = reader.optionalPath("stateDirectory")
        let metrics = reader.optionalObject("metrics") { .some($0.optionalMetricsPath("textfile")) }
        let home = reader.optionalObject("homeAssistant") { HomeAssistantSettings(from: &$0) }
        let log = reader.optionalObject("log") { LogSettings(from: &$0) }
        let lowestLayer = JSON.object(
            GatewaySettings.sections.compactMap { section in
                // Here only: no topic can set it.
                reader.json(section).map { .init(section, $0.without("maxIdentities")) }
            })

        guard let site = gateway?.site, let id = gateway?.id,
            let topics = Topics(root: mqtt?.root ?? Topics.usualRoot, site: site, gateway: id)
        else { return nil }
        self.init(
            topics: topics, broker: mqtt?.broker, alternatives: mqtt?.alternatives ?? [],
            source: radio?.source ?? .usual, references: radio?.references ?? [],
            settings: GatewaySettings(
                advertise: advertise, report: report?.settings ?? ReportSettings(),
                filter: filter ?? FilterSettings()),
            lowestLayer: lowestLayer, maxIdentities: report?.maxIdentities ?? 100_000,
            outbox: outbox ?? OutboxSettings(), stateDirectory: stateDirectory,
            metricsPath: metrics ?? nil, homeAssistant: home, log: log ?? LogSettings())
    }
}

extension ObjectReader {
    fileprivate mutating func topicName(_ key: String) -> String? {
        parsed(key, expecting: Topics.nameRule) { Topics.isName($0) ? $0 : nil }
    }
}

extension RadioSource {
    /// Reads the section `radio`; `nil` after a fault.
    fileprivate init?(from reader: inout ObjectReader) {
        guard let text = reader.optionalString("source") else {
            self = .usual
            return
        }
        do throws(Invalid) {
            self = try RadioSource(parsing: text)
        } catch {
            reader.note("source", .outOfRange, "source \(error)")
            return nil
        }
    }
}

extension Identity {
    /// Reads an element of a list of beacons; `nil` after a fault.
    init?(from reader: inout ObjectReader) {
        let uuid = reader.parsed("uuid", expecting: "a UUID") { ProximityUUID($0) }
        let major = reader.integer("major", in: 0...UInt16.max)
        let minor = reader.integer("minor", in: 0...UInt16.max)
        guard let uuid else { return nil }
        self.init(uuid: uuid, major: major, minor: minor)
    }
}
