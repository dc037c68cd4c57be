/// What a broker declares when it accepts a connection (CONNACK properties; MQTT 5 section 3.2.2.3).
///
/// A broker of MQTT 3.1.1 declares nothing: the members then have the defaults of MQTT 5.
package struct BrokerAbilities: Equatable, Sendable {
    package var version: ProtocolVersion
    /// The number of publications that may be unacknowledged at a time.
    package var receiveMaximum = 65535
    /// In bytes; `nil` if the broker sends none.
    package var maximumPacketSize: Int?
    /// The highest quality of service that the broker takes.
    package var maximumQuality = QualityOfService.atLeastOnce
    /// Whether the broker keeps retained messages.
    package var retains = true
    package var hasWildcards = true
    package var hasSharedSubscriptions = true
    /// How long the broker keeps the session of an absent client; `nil` for the requested time.
    package var sessionExpirySeconds: UInt32?
    /// After this time without a packet the broker ends the connection; `nil` for the requested time.
    package var keepAliveSeconds: Int?
    /// The client identifier that the broker has chosen; `nil` for ours.
    package var assignedClientID: String?

    package init(version: ProtocolVersion) { self.version = version }

    /// What a program on this broker lacks.
    ///
    /// - Parameter reading: of a program whose session outlives its connections.
    package func restrictions(for reading: DurableReading?) -> [BrokerRestriction] {
        var restrictions: [BrokerRestriction] = []
        if !retains { restrictions.append(.noRetainedMessages) }
        if maximumQuality == .atMostOnce { restrictions.append(.noAcknowledgements) }
        if !hasWildcards { restrictions.append(.noWildcards) }
        if let reading, let expiry = sessionExpirySeconds, expiry < reading.expirySeconds {
            restrictions.append(.shortSession(seconds: expiry, wanted: reading.expirySeconds))
        }
        return restrictions
    }
}

/// What a program lacks on a broker, with the consequence and the remedy as text.
package enum BrokerRestriction: Hashable, Sendable {
    case noRetainedMessages
    case noAcknowledgements
    case noWildcards
    /// The broker keeps messages for an absent reader only for a time.
    case shortSession(seconds: UInt32, wanted: UInt32)
}

extension BrokerRestriction: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noRetainedMessages:
            "broker keeps no retained messages: new readers see a gateway at its next message, and a gateway that is"
                + " away misses configuration documents; use a broker that keeps them"
        case .noAcknowledgements:
            "broker supports only QoS 0: it acknowledges no message, and a message lost on the way is not repeated;"
                + " allow QoS 1 on the broker"
        case .noWildcards:
            "broker supports no wildcard subscriptions: sightline and sightline-server can't read from it;"
                + " use a broker that supports them"
        case .shortSession(let seconds, let wanted):
            "broker keeps messages for an absent reader for \(seconds) s instead of \(wanted) s: messages of a longer"
                + " outage are lost; raise its limit of the session expiry"
        }
    }
}
