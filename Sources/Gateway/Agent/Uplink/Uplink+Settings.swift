import Configuration
import Contract
import HomeAssistant
import MQTT
import Outbox
import Posix
import Primitives
import Session

extension Uplink {
    /// The gateway's identity, and the settings of all parts of the uplink.
    package struct Settings: Sendable {
        package var topics: Topics
        package var session: Session
        package var version: String
        package var brokers: BrokerSession.Settings
        package var delivery: Delivery.Settings
        /// What decides about the layers; `nil` where nothing can be tuned, as in a capture.
        package var reconciler: SettingsReconciler?
        /// Where the layers are saved; `nil` if there is no state directory.
        package var store: LayerStore?
        /// When the agent began; `nil` for the beginning of the uplink.
        package var began: Instant?
        /// The uplink before this one, of the same session; `nil` for the first one.
        package var predecessor: Predecessor?
        /// The configuration file; `nil` where SIGHUP does not read it again.
        package var configuration: ConfigurationFile?
        package var health = HealthReporter.Settings()
        /// `nil` if Home Assistant is not configured.
        package var homeAssistant: HomeAssistantSettings?
        /// The time limit of a shutdown.
        package var shutdownTime = Self.defaultShutdownTime
        /// Whether to detect another agent with this gateway's name. A capture may be played beside its gateway.
        package var detectsDuplicates = false
        /// Whether to publish the gateway's status, with a will. A capture does not know it.
        package var publishesStatus = true

        /// Shorter than a service manager's time limit.
        package static let defaultShutdownTime = Duration.seconds(5)

        package init(
            topics: Topics, session: Session, version: String, broker: ConnectionSettings,
            protocolChoice: Reconnect.Choice, limits: OutboxLimits, restamps: Bool
        ) {
            self.topics = topics
            self.session = session
            self.version = version
            brokers = BrokerSession.Settings(BrokerEndpoint(broker, protocolChoice))
            delivery = Delivery.Settings(limits: limits, restamps: restamps)
        }
    }

    /// What an uplink that ended left to its successor.
    package struct Predecessor: Sendable {
        package var account: UplinkAccount
        /// The number of its batches, which follow first.
        package var batches: Int

        package init(account: UplinkAccount, batches: Int) {
            self.account = account
            self.batches = batches
        }
    }
}
