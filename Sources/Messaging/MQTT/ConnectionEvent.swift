/// What happened on a connection.
package enum ConnectionEvent: Equatable, Sendable {
    /// The broker let us in: publish and subscribe from now on.
    case connected(BrokerLimits)
    /// The broker answered for the publication with this token, with success or with a refusal (PUBACK).
    case acknowledged(token: UInt64?, ReasonCode)
    /// The broker answered a subscription, with success or with a refusal (SUBACK).
    case subscribed(filter: String, ReasonCode)
    case message(Message)
    /// A message was too large for the settings' bound, and was thrown away.
    case oversized(topic: String, bytes: Int)
    /// The connection is over, and this is the last event: what it has not acknowledged, it never will.
    case ended(ConnectionFailure)
}

/// What a broker said of itself when it let us in (CONNACK properties; MQTT 5 section 3.2.2.3).
package struct BrokerLimits: Equatable, Sendable {
    package var version: ProtocolVersion
    /// Publications that may be unacknowledged at a time; 65535 when the broker names no number.
    package var receiveMaximum = 65535
    /// In bytes; `nil` when the broker names none.
    package var maximumPacketSize: Int?

    package init(version: ProtocolVersion) { self.version = version }
}
