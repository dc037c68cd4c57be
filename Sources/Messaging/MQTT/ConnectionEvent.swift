/// An event of a connection.
package enum ConnectionEvent: Equatable, Sendable {
    /// The broker accepts the connection: publications and subscriptions are possible.
    case connected(BrokerAbilities)
    /// The broker answers the publication with this token: success or a refusal (PUBACK).
    case acknowledged(token: UInt64?, ReasonCode)
    /// The broker answers a subscription: success or a refusal (SUBACK).
    case subscribed(filter: String, ReasonCode)
    case message(Message)
    /// A message exceeds the limit of the settings and is discarded.
    case oversized(topic: String, bytes: Int)
    /// The connection is over. This is the last event; unanswered publications get no answer.
    case ended(ConnectionFailure)
}
