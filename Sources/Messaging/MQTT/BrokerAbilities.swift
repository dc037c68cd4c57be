import CMosquitto
import Glibc

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

extension BrokerAbilities {
    /// Reads the properties of a CONNACK; `nil` with MQTT 3.1.1.
    init(_ version: ProtocolVersion, _ properties: OpaquePointer?) {
        self.init(version: version)
        func byte(_ property: mqtt5_property) -> UInt8? {
            var value: UInt8 = 0
            let identifier = CInt(bitPattern: property.rawValue)
            return mosquitto_property_read_byte(properties, identifier, &value, false) == nil
                ? nil : value
        }
        func number16(_ property: mqtt5_property) -> UInt16? {
            var value: UInt16 = 0
            let identifier = CInt(bitPattern: property.rawValue)
            return mosquitto_property_read_int16(properties, identifier, &value, false) == nil
                ? nil : value
        }
        func number32(_ property: mqtt5_property) -> UInt32? {
            var value: UInt32 = 0
            let identifier = CInt(bitPattern: property.rawValue)
            return mosquitto_property_read_int32(properties, identifier, &value, false) == nil
                ? nil : value
        }
        receiveMaximum = number16(MQTT_PROP_RECEIVE_MAXIMUM).map(Int.init) ?? receiveMaximum
        maximumPacketSize = number32(MQTT_PROP_MAXIMUM_PACKET_SIZE).map(Int.init)
        if byte(MQTT_PROP_MAXIMUM_QOS) == 0 { maximumQuality = .atMostOnce }
        retains = byte(MQTT_PROP_RETAIN_AVAILABLE) != 0
        hasWildcards = byte(MQTT_PROP_WILDCARD_SUB_AVAILABLE) != 0
        hasSharedSubscriptions = byte(MQTT_PROP_SHARED_SUB_AVAILABLE) != 0
        sessionExpirySeconds = number32(MQTT_PROP_SESSION_EXPIRY_INTERVAL)
        keepAliveSeconds = number16(MQTT_PROP_SERVER_KEEP_ALIVE).map(Int.init)
        var text: UnsafeMutablePointer<CChar>?
        let identifier = CInt(bitPattern: MQTT_PROP_ASSIGNED_CLIENT_IDENTIFIER.rawValue)
        if mosquitto_property_read_string(properties, identifier, &text, false) != nil, let text {
            assignedClientID = String(cString: text)
            free(text)
        }
    }
}
