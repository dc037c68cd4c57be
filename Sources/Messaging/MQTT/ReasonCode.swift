import CMosquitto

/// A broker's answer to a packet (MQTT 5 section 2.4); the answers of 3.1.1 are translated.
package struct ReasonCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let success = ReasonCode(rawValue: 0x00)
    package static let noMatchingSubscribers = ReasonCode(rawValue: 0x10)
    package static let unspecified = ReasonCode(rawValue: 0x80)
    package static let malformedPacket = ReasonCode(rawValue: 0x81)
    package static let protocolError = ReasonCode(rawValue: 0x82)
    package static let implementationSpecific = ReasonCode(rawValue: 0x83)
    package static let unsupportedProtocolVersion = ReasonCode(rawValue: 0x84)
    package static let clientIDNotValid = ReasonCode(rawValue: 0x85)
    package static let badUserNameOrPassword = ReasonCode(rawValue: 0x86)
    package static let notAuthorised = ReasonCode(rawValue: 0x87)
    package static let serverUnavailable = ReasonCode(rawValue: 0x88)
    package static let serverBusy = ReasonCode(rawValue: 0x89)
    package static let banned = ReasonCode(rawValue: 0x8A)
    package static let serverShuttingDown = ReasonCode(rawValue: 0x8B)
    package static let badAuthenticationMethod = ReasonCode(rawValue: 0x8C)
    package static let keepAliveTimeout = ReasonCode(rawValue: 0x8D)
    package static let sessionTakenOver = ReasonCode(rawValue: 0x8E)
    package static let topicFilterInvalid = ReasonCode(rawValue: 0x8F)
    package static let topicNameInvalid = ReasonCode(rawValue: 0x90)
    package static let packetIdentifierInUse = ReasonCode(rawValue: 0x91)
    package static let receiveMaximumExceeded = ReasonCode(rawValue: 0x93)
    package static let packetTooLarge = ReasonCode(rawValue: 0x95)
    package static let messageRateTooHigh = ReasonCode(rawValue: 0x96)
    package static let quotaExceeded = ReasonCode(rawValue: 0x97)
    package static let administrativeAction = ReasonCode(rawValue: 0x98)
    package static let payloadFormatInvalid = ReasonCode(rawValue: 0x99)
    package static let retainNotSupported = ReasonCode(rawValue: 0x9A)
    package static let qosNotSupported = ReasonCode(rawValue: 0x9B)
    package static let useAnotherServer = ReasonCode(rawValue: 0x9C)
    package static let serverMoved = ReasonCode(rawValue: 0x9D)
    package static let sharedSubscriptionsNotSupported = ReasonCode(rawValue: 0x9E)
    package static let connectionRateExceeded = ReasonCode(rawValue: 0x9F)
    package static let maximumConnectTime = ReasonCode(rawValue: 0xA0)
    package static let subscriptionIdentifiersNotSupported = ReasonCode(rawValue: 0xA1)
    package static let wildcardSubscriptionsNotSupported = ReasonCode(rawValue: 0xA2)

    /// A code as the library reports it.
    init(reported code: CInt) {
        self.init(rawValue: UInt8(exactly: code) ?? Self.unspecified.rawValue)
    }

    /// The meaning of a CONNACK's return code in MQTT 3.1.1 (its section 3.2.2.3).
    package init(returnCodeOf311 code: CInt) {
        switch code {
        case 0: self = .success
        case 1: self = .unsupportedProtocolVersion
        case 2: self = .clientIDNotValid
        case 3: self = .serverUnavailable
        case 4: self = .badUserNameOrPassword
        case 5: self = .notAuthorised
        default: self.init(reported: code)
        }
    }

    /// Whether the broker refused the packet.
    package var isFailure: Bool { rawValue >= 0x80 }

    /// Whether to send the packet again: the broker's load or its access list can change.
    package var permitsRepetition: Bool { self == .notAuthorised || isFailure && mayPass }

    /// What to do about a refused subscription; `nil` if missing rights are the cause, or may be.
    package var subscriptionRemedy: String? {
        switch self {
        case .quotaExceeded: "raise the broker's limit of subscriptions"
        case .sharedSubscriptionsNotSupported, .wildcardSubscriptionsNotSupported:
            "use a broker that supports them"
        default: nil
        }
    }

    /// Whether the broker may accept the same packet later: load, quota, or no reason given.
    package var mayPass: Bool {
        switch self {
        case .unspecified, .implementationSpecific, .serverUnavailable, .serverBusy,
            .serverShuttingDown, .packetIdentifierInUse, .receiveMaximumExceeded,
            .messageRateTooHigh, .quotaExceeded, .connectionRateExceeded:
            true
        default: !isFailure
        }
    }
}

extension ReasonCode: CustomStringConvertible {
    /// The specification's name in small letters, and the number.
    package var description: String {
        let number = "0x" + (rawValue < 16 ? "0" : "") + String(rawValue, radix: 16)
        return Self.names[self].map { "\($0) (\(number))" } ?? "reason \(number)"
    }

    private static let names: [ReasonCode: String] = [
        .success: "success", .noMatchingSubscribers: "no matching subscribers",
        .unspecified: "unspecified error", .malformedPacket: "malformed packet",
        .protocolError: "protocol error",
        .implementationSpecific: "implementation specific error",
        .unsupportedProtocolVersion: "unsupported protocol version",
        .clientIDNotValid: "client identifier not valid",
        .badUserNameOrPassword: "bad user name or password", .notAuthorised: "not authorised",
        .serverUnavailable: "server unavailable", .serverBusy: "server busy", .banned: "banned",
        .serverShuttingDown: "server shutting down",
        .badAuthenticationMethod: "bad authentication method",
        .keepAliveTimeout: "keep-alive timeout", .sessionTakenOver: "session taken over",
        .topicFilterInvalid: "topic filter invalid", .topicNameInvalid: "topic name invalid",
        .packetIdentifierInUse: "packet identifier in use",
        .receiveMaximumExceeded: "receive maximum exceeded", .packetTooLarge: "packet too large",
        .messageRateTooHigh: "message rate too high", .quotaExceeded: "quota exceeded",
        .administrativeAction: "administrative action",
        .payloadFormatInvalid: "payload format invalid",
        .retainNotSupported: "retain not supported", .qosNotSupported: "QoS not supported",
        .useAnotherServer: "use another server", .serverMoved: "server moved",
        .sharedSubscriptionsNotSupported: "shared subscriptions not supported",
        .connectionRateExceeded: "connection rate exceeded",
        .maximumConnectTime: "maximum connect time",
        .subscriptionIdentifiersNotSupported: "subscription identifiers not supported",
        .wildcardSubscriptionsNotSupported: "wildcard subscriptions not supported",
    ]
}

/// The return code of a function of libmosquitto (`enum mosq_err_t` in mosquitto.h).
struct ResultCode: RawRepresentable, Hashable, Sendable {
    let rawValue: CInt

    init(rawValue: CInt) { self.rawValue = rawValue }

    private init(_ code: mosq_err_t) { rawValue = code.rawValue }

    static let success = ResultCode(MOSQ_ERR_SUCCESS)
    static let protocolError = ResultCode(MOSQ_ERR_PROTOCOL)
    static let invalid = ResultCode(MOSQ_ERR_INVAL)
    static let notConnected = ResultCode(MOSQ_ERR_NO_CONN)
    static let connectionLost = ResultCode(MOSQ_ERR_CONN_LOST)
    static let tls = ResultCode(MOSQ_ERR_TLS)
    static let payloadSize = ResultCode(MOSQ_ERR_PAYLOAD_SIZE)
    static let systemError = ResultCode(MOSQ_ERR_ERRNO)
    static let lookupFailed = ResultCode(MOSQ_ERR_EAI)
    static let malformedUTF8 = ResultCode(MOSQ_ERR_MALFORMED_UTF8)
    static let keepAlive = ResultCode(MOSQ_ERR_KEEPALIVE)
    static let malformedPacket = ResultCode(MOSQ_ERR_MALFORMED_PACKET)
    static let tlsHandshake = ResultCode(MOSQ_ERR_TLS_HANDSHAKE)
    static let qosNotSupported = ResultCode(MOSQ_ERR_QOS_NOT_SUPPORTED)
    static let oversizePacket = ResultCode(MOSQ_ERR_OVERSIZE_PACKET)
    static let retainNotSupported = ResultCode(MOSQ_ERR_RETAIN_NOT_SUPPORTED)
}

extension ResultCode: CustomStringConvertible {
    /// The library's words without their full stop, and the number.
    var description: String {
        var words = String(cString: mosquitto_strerror(rawValue))
        if words.last == "." { words.removeLast() }
        return "\(words) (libmosquitto result \(rawValue))"
    }
}
