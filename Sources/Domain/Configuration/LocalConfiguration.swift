import Beacons
import Contract
import JSON

/// The local file: who this gateway is, where its broker is, and the lowest layer of what the topics can set.
package struct LocalConfiguration: Equatable, Sendable {
    /// Site, gateway and root.
    package var topics: Topics
    /// `nil` only where messages go to standard output.
    package var broker: BrokerSettings?
    /// The brokers that are tried when that one does not let us in, in their order.
    package var alternatives: [BrokerSettings]
    package var source: RadioSource
    /// Beacons that must always be heard: their silence is the radio's fault.
    package var references: [Identity]
    /// What holds where no layer says otherwise.
    package var settings: GatewaySettings
    /// The same as the file has it, for the layers to be merged over.
    package var lowestLayer: JSON
    /// Identities followed in one window: a bound on memory, so no topic can set it.
    package var maxIdentities: Int
    package var outbox: OutboxSettings
    /// As the file has it; `StateDirectory` knows what comes in its place.
    package var stateDirectory: String?
    /// The file that health is written to for Prometheus; `nil` for none.
    package var metricsPath: String?
    /// What Home Assistant is shown; `nil` for nothing.
    package var homeAssistant: HomeAssistantSettings?
    package var log: LogSettings

    package init(
        topics: Topics, broker: BrokerSettings?, alternatives: [BrokerSettings] = [],
        source: RadioSource = .usual, references: [Identity] = [],
        settings: GatewaySettings = GatewaySettings(), lowestLayer: JSON = .object([]),
        maxIdentities: Int = 100_000,
        outbox: OutboxSettings = OutboxSettings(), stateDirectory: String? = nil,
        metricsPath: String? = nil,
        homeAssistant: HomeAssistantSettings? = nil, log: LogSettings = LogSettings()
    ) {
        self.topics = topics
        self.broker = broker
        self.alternatives = alternatives
        self.source = source
        self.references = references
        self.settings = settings
        self.lowestLayer = lowestLayer
        self.maxIdentities = maxIdentities
        self.outbox = outbox
        self.stateDirectory = stateDirectory
        self.metricsPath = metricsPath
        self.homeAssistant = homeAssistant
        self.log = log
    }
}
