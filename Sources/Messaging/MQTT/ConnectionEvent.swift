/// An event of a connection.
package enum ConnectionEvent: Equatable, Sendable {
    /// The broker accepts the connection: publications and subscriptions are possible.
    case connected(BrokerLimits)
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

/// The limits that a broker sends when it accepts a connection (CONNACK properties; MQTT 5 section 3.2.2.3).
package struct BrokerLimits: Equatable, Sendable {
    package var version: ProtocolVersion
    /// The number of publications that may be unacknowledged at a time; 65535 if the broker sends none.
    package var receiveMaximum = 65535
    /// In bytes; `nil` if the broker sends none.
    package var maximumPacketSize: Int?

    package init(version: ProtocolVersion) { self.version = version }
}
