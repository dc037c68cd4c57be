import CMosquitto
import Glibc

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
