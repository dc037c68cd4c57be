import MQTT
import Primitives

extension BrokerSession {
    /// What a session tells its owner.
    package enum Event {
        /// The broker accepts a connection, the first one or another.
        case connected(BrokerAbilities, isFirst: Bool)
        /// The broker answers one subscription.
        case subscription(filter: String, ReasonCode)
        /// The broker has confirmed every subscription of this connection.
        case subscribed
        case message(Message)
        /// A message above the size limit, which is not delivered.
        case oversized(topic: String, bytes: Int)
        /// The broker's answer to a publication. Publications of a lost connection get no answer.
        case acknowledged(token: UInt64, ReasonCode)
        /// The broker keeps retained messages, which were withheld: they are due again.
        case retains
        /// The connection was lost, or an attempt failed; the next one follows.
        case ended(End)
        /// After `ended`, for people: why the connection is lost. Each reason is sent once a loss.
        case lost(String)
        /// After `ended`, or after a refused subscription, for people: an error that another attempt does not remove.
        case failed(String)
        /// The connection has ended, and the session uses other brokers: for each one its index among those before.
        case switched(previous: [Int?])
    }

    /// The end of a connection or of an attempt.
    package struct End: Equatable, Sendable {
        enum Report: Equatable {
            case none
            case lost(String)
            case failed(String)
        }

        package let failure: ConnectionFailure
        /// The wait before the next attempt.
        package let wait: Duration
        /// Whether this broker's attempts have not failed for this reason since its last connection.
        package let isNew: Bool
        /// Why the broker may not support MQTT 5; `nil` if the choice of the version does not explain the failure.
        package let doubt: VersionDoubt?
        /// Whether the broker refused the will's RETAIN or QoS, which the next attempt leaves out.
        package let isAdapted: Bool
        /// The packet that the broker ends connections over.
        package let ending: EndingPacket?
        let report: Report
    }
}
