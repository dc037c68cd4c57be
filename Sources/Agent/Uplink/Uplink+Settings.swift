import Contract
import HomeAssistant
import MQTT
import Outbox
import Posix

extension Uplink {
    /// A broker, and what to speak with it.
    package struct Broker: Equatable, Sendable {
        package var connection: ConnectionSettings
        package var protocolChoice: Reconnect.Choice

        package init(_ connection: ConnectionSettings, _ protocolChoice: Reconnect.Choice) {
            self.connection = connection
            self.protocolChoice = protocolChoice
        }
    }

    /// Who speaks, and with whom.
    package struct Settings: Sendable {
        package var topics: Topics
        package var session: Session
        package var version: String
        /// The broker that is tried first.
        package var broker: Broker
        /// Those that are tried when it does not let us in, in their order.
        package var alternatives: [Broker] = []
        package var limits: OutboxLimits
        /// Where the outbox stores what memory should not keep; `nil` for memory all the same.
        package var disk: (any Disk)?
        /// The boot that instants are of; empty where nobody knows.
        package var boot = ""
        /// What a batch's instants lack to UTC is settled at its source (a capture), or when it is published (a radio).
        package var restamps: Bool
        /// Whether the source waits for the broker, as a capture can and a radio can't: then nothing is given up for
        /// want of room, and the farewell takes as long as it takes.
        package var isPatient = false
        /// What decides about the layers; `nil` where nothing can be tuned: a capture is what it is.
        package var reconciler: SettingsReconciler?
        /// Where the layers are kept; `nil` where they can't be.
        package var store: LayerStore?
        /// Who is told that the agent is ready, and how it is; `nil` where nobody wants to know.
        package var manager: ServiceManager?
        /// What reads the local file again; `nil` where nobody can ask for that.
        package var reloading: Reloading?
        /// From one message of health to the next, in microseconds.
        package var healthInterval: Int64 = 30_000_000
        /// The file that has it for Prometheus as well; `nil` for none.
        package var metricsPath: String?
        /// What has the gateway appear in Home Assistant; `nil` where that is not wanted.
        package var home: HomeDiscovery?
        /// The beacons whose presence is told, and how long one must be missed to be away, in microseconds.
        package var trackers: [Tracker] = []
        package var awayAfter: Int64 = 120_000_000
        /// How long a stopping agent tries to get rid of what it has, in microseconds.
        package var farewellTime = Self.usualFarewellTime
        /// How names are looked up; and after how many microseconds the next broker has its turn.
        package var resolver = Lookup.system
        package var lookupTime: Int64 = 20_000_000
        /// Between two attempts to connect.
        package var backoff = Backoff()
        /// Whether another agent with our name is looked for, as a radio's does: a capture may be played beside it.
        package var looksForRivals = false
        /// How long such a one is left in our place when it has taken it, in microseconds, more or less.
        package var takeoverPause = Reconnect.takeoverPause

        /// Shorter than the patience of whoever stops a service.
        package static let usualFarewellTime: Int64 = 5_000_000

        package init(
            topics: Topics, session: Session, version: String, broker: ConnectionSettings,
            protocolChoice: Reconnect.Choice, limits: OutboxLimits, restamps: Bool
        ) {
            self.topics = topics
            self.session = session
            self.version = version
            self.broker = Broker(broker, protocolChoice)
            self.limits = limits
            self.restamps = restamps
        }
    }
}
