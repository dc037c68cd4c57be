import Beacons
import Contract
import JSON

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
