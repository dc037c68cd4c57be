import Outbox
import Posix
import Primitives
import Prometheus

/// A message from the uplink's process to the radio's.
package enum UplinkReply: Equatable, Sendable {
    /// Settings to apply.
    case order(ApplyRequest)
    /// The batches that the uplink still needs, and what its successor needs besides. A sign of life as well.
    case account(UplinkAccount)
    /// The stored form of a batch whose message is decided: the same message is sent each time.
    case decided(seq: UInt64, [UInt8])
    /// The configuration file was read again: its bytes; `nil` if it has faults, so that nothing has changed.
    case reloaded([UInt8]?)
    /// The layers in force, as JSON.
    case layers([UInt8])
    /// Notifications for the service manager.
    case service([ServiceManager.Notification])
}

/// What the uplink's process hands to its successor.
package struct UplinkAccount: Equatable, Sendable {
    /// The number of batches received from the radio's process.
    package var received: UInt64 = 0
    package var outbox = OutboxAccount()
    package var connections: UInt64 = 0
    package var takeovers: UInt64 = 0
    package var sightings = SightingTally()

    package init() {}
}

/// What an uplink's process needs to begin: the first message to it.
package struct UplinkStart: Equatable, Sendable {
    package var session: Session
    /// When the agent began.
    package var began: Instant
    /// 0 for the first uplink of the session, 1 for its successor, …
    package var generation: UInt64 = 0
    /// The path of the configuration file.
    package var path: String
    /// The file's bytes when the agent began.
    package var configuration: [UInt8]
    /// The file's bytes after the latest reload; `nil` before.
    package var reloaded: [UInt8]?
    /// The command line's radio source; `nil` for the file's.
    package var source: String?
    /// The layers in force, as JSON.
    package var layers: [UInt8]
    /// Whether there is a service manager to notify.
    package var hasServiceManager: Bool
    /// Whether the service manager knows that the service is ready.
    package var isReady = false
    /// The account of the uplink before; `nil` for the first, and if that one has not reported any.
    package var account: UplinkAccount?
    /// The number of batches that follow first, and that an earlier uplink had.
    package var batches = 0
}
