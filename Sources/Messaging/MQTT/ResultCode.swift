import CMosquitto

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
