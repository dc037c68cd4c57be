import CMosquitto
import Glibc
import Posix

/// A client of libmosquitto for one connection. Only this type calls the library (libmosquitto(3)).
///
/// All calls come from one thread; the library starts none of its own.
struct Mosquitto: ~Copyable {
    /// The result of a call: the library's code, and the `errno` after it.
    struct Outcome {
        var code: ResultCode
        var errno: Errno
    }

    private let handle: OpaquePointer
    private let context: Unmanaged<Callbacks>
    private let version: ProtocolVersion

    /// The library's version: `2.0.21`.
    static var libraryVersion: String {
        var (major, minor, revision): (CInt, CInt, CInt) = (0, 0, 0)
        mosquitto_lib_version(&major, &minor, &revision)
        return "\(major).\(minor).\(revision)"
    }

    /// The library counts its initialisations, but not safely from several threads.
    private static let library = mosquitto_lib_init()

    /// Creates a client and sets its callbacks.
    ///
    /// - Throws: a configuration fault if the library rejects the client identifier.
    init(
        _ settings: ConnectionSettings, _ version: ProtocolVersion, _ callbacks: Callbacks
    ) throws(ConnectionFailure) {
        let clientID = settings.clientID
        let context = Unmanaged.passRetained(callbacks)
        // An agent starts clean: its outbox keeps unacknowledged messages, not the broker.
        let isClean = settings.reading == nil
        let created =
            clientID.isEmpty
            ? mosquitto_new(nil, true, context.toOpaque())
            : mosquitto_new(clientID, isClean, context.toOpaque())
        guard Self.library == MOSQ_ERR_SUCCESS.rawValue, let created else {
            context.release()
            throw settings.fault("the client identifier \"\(clientID)\" is not valid")
        }
        handle = created
        self.context = context
        self.version = version
        let number = version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, number)
        // Without a delay, a batch is sent when its window ends.
        mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
        if let reading = settings.reading {
            // The library acknowledges a message before it hands it over. With this setting it only queues the
            // acknowledgement, and `write` sends it.
            mosquitto_threaded_set(handle, true)
            mosquitto_int_option(
                handle, MOSQ_OPT_RECEIVE_MAXIMUM, CInt(reading.receiveMaximum))
        }
        setCallbacks()
    }

    deinit {
        mosquitto_destroy(handle)
        context.release()
    }

    // MARK: Before connecting

    func setCredentials(username: String, password: String?) -> ResultCode {
        ResultCode(rawValue: mosquitto_username_pw_set(handle, username, password))
    }

    func setWill(_ will: Will) -> ResultCode {
        let size = CInt(clamping: will.payload.count)
        return ResultCode(
            rawValue: mosquitto_will_set(
                handle, will.topic, size, will.payload, will.quality.rawValue, will.isRetained))
    }

    func setTLS(_ tls: TLSSettings) -> ResultCode {
        let folder = tls.caFile == nil ? "/etc/ssl/certs" : nil
        let result = mosquitto_tls_set(
            handle, tls.caFile, folder, tls.client?.certFile, tls.client?.keyFile,
            // A key with a passphrase is an error. Without this callback, the library prompts on the terminal.
            { _, _, _, _ in 0 })
        guard result == MOSQ_ERR_SUCCESS.rawValue else { return ResultCode(rawValue: result) }
        let verifyPeer: CInt = 1
        // The minimum version: the library uses 1.3 if the broker supports it.
        return ResultCode(rawValue: mosquitto_tls_opts_set(handle, verifyPeer, "tlsv1.2", nil))
    }

    /// Tells an MQTT 5 broker to discard larger packets (Maximum Packet Size, section 3.1.2.11.4), and how long to keep
    /// the session (section 3.1.2.11.2).
    ///
    /// Only the blocking call takes properties. Without a host it keeps them for the next call, and returns.
    func limitPackets(to bytes: UInt32, _ reading: DurableReading?) {
        guard version == .v5 else { return }
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        let identifier = CInt(bitPattern: MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue)
        mosquitto_property_add_int32(&properties, identifier, bytes)
        if let reading {
            let expiry = CInt(bitPattern: MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue)
            mosquitto_property_add_int32(&properties, expiry, reading.expirySeconds)
        }
        mosquitto_connect_bind_v5(handle, nil, 1, 60, nil, properties)
    }

    /// Resolves the name, which may block, and begins to connect, which does not (mosquitto_connect_bind_async).
    func connect(
        host: String, port: UInt16, from local: String?, keepAliveSeconds: Int
    ) -> Outcome {
        let keepAlive = CInt(clamping: keepAliveSeconds)
        return outcome { mosquitto_connect_bind_async(handle, host, CInt(port), keepAlive, local) }
    }

    // MARK: Connected, or about to be

    /// The socket; `nil` after the connection has ended.
    var descriptor: CInt? {
        let number = mosquitto_socket(handle)
        return number >= 0 ? number : nil
    }

    /// Whether TCP is connected, and TLS if `withTLS`.
    func isConnected(withTLS: Bool) -> Bool {
        guard let descriptor, SocketState.isConnected(descriptor) else { return false }
        return !withTLS || sightline_tls_is_connected(handle)
    }

    var wantsWrite: Bool { mosquitto_want_write(handle) }

    func read() -> Outcome { outcome { mosquitto_loop_read(handle, 1) } }
    func write() -> Outcome { outcome { mosquitto_loop_write(handle, 1) } }
    func keepAlive() -> Outcome { outcome { mosquitto_loop_misc(handle) } }

    /// Sends a message; `mid` is the packet's identifier.
    func publish(_ message: Publication) -> (outcome: Outcome, mid: CInt) {
        var mid: CInt = 0
        let result = outcome {
            var properties: OpaquePointer?
            defer { mosquitto_property_free_all(&properties) }
            if version == .v5, let type = message.contentType {
                let identifier = CInt(bitPattern: MQTT_PROP_CONTENT_TYPE.rawValue)
                mosquitto_property_add_string(&properties, identifier, type)
            }
            if version == .v5, message.expirySeconds > 0 {
                let identifier = CInt(bitPattern: MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue)
                mosquitto_property_add_int32(&properties, identifier, message.expirySeconds)
            }
            for property in version == .v5 ? message.userProperties : []
            where Self.isString(property.name) && Self.isString(property.value) {
                let identifier = CInt(bitPattern: MQTT_PROP_USER_PROPERTY.rawValue)
                mosquitto_property_add_string_pair(
                    &properties, identifier, property.name, property.value)
            }
            guard let size = CInt(exactly: message.payload.count) else {
                return MOSQ_ERR_PAYLOAD_SIZE.rawValue
            }
            return mosquitto_publish_v5(
                handle, &mid, message.topic, size, message.payload, message.quality.rawValue,
                message.isRetained, properties)
        }
        return (result, mid)
    }

    /// Subscribes to a topic filter; `mid` is the packet's identifier.
    func subscribe(
        _ filter: String, _ quality: QualityOfService
    ) -> (outcome: Outcome, mid: CInt) {
        var mid: CInt = 0
        let result = outcome { mosquitto_subscribe(handle, &mid, filter, quality.rawValue) }
        return (result, mid)
    }

    func unsubscribe(_ filter: String) { _ = mosquitto_unsubscribe(handle, nil, filter) }

    /// Disconnects, so that the broker does not publish the will.
    func disconnect() -> Outcome { outcome { mosquitto_disconnect(handle) } }

    private func outcome(_ call: () -> CInt) -> Outcome {
        Glibc.errno = 0
        let code = call()
        let error = Errno.current
        return Outcome(code: ResultCode(rawValue: code), errno: error)
    }

    // MARK: Callbacks

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, context, code, _, properties in
            let abilities = BrokerAbilities(.v311, properties)
            Mosquitto.callbacks(context)?.add(.connected(code: code, abilities))
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, code, _ in
            Mosquitto.callbacks(context)?.add(.disconnected(code: code))
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, mid, code, _ in
            Mosquitto.callbacks(context)?.add(.acknowledged(mid: mid, code: code))
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, mid, count, codes, _ in
            // One filter per SUBSCRIBE, so there is one code.
            guard count > 0, let codes else { return }
            Mosquitto.callbacks(context)?.add(.subscribed(mid: mid, code: codes.pointee))
        }
        mosquitto_message_v5_callback_set(handle) { _, context, received, properties in
            guard let callbacks = Mosquitto.callbacks(context), let received = received?.pointee,
                let name = received.topic
            else { return }
            let topic = String(cString: name)
            let bytes = Int(received.payloadlen)
            guard bytes <= callbacks.maximumPayload else {
                return callbacks.add(.oversized(topic: topic, bytes: bytes))
            }
            let payload = UnsafeRawBufferPointer(start: received.payload, count: max(0, bytes))
            var message = Message(
                topic: topic, payload: Array(payload), isRetained: received.retain)
            message.userProperties = Mosquitto.userProperties(in: properties)
            callbacks.add(.message(message))
        }
        mosquitto_log_callback_set(handle) { client, context, level, text in
            guard level & CInt(MOSQ_LOG_ERR) != 0, let text else { return }
            // The calls below must not change the errno of the failure.
            let saved = Glibc.errno
            let fault = sightline_certificate_fault(client).map { String(cString: $0) }
            Mosquitto.callbacks(context)?.add(
                errorLine: String(cString: text), certificateFault: fault)
            Glibc.errno = saved
        }
    }

    /// Whether a text is a UTF-8 string of MQTT (section 1.5.4). A broker ends the connection over another one, such as one
    /// with a control character.
    private static func isString(_ text: String) -> Bool {
        let count = text.utf8.count
        return count <= Int(UInt16.max)
            && mosquitto_validate_utf8(text, CInt(count)) == MOSQ_ERR_SUCCESS.rawValue
    }

    private static func userProperties(in properties: OpaquePointer?) -> [UserProperty] {
        let identifier = CInt(bitPattern: MQTT_PROP_USER_PROPERTY.rawValue)
        var found: [UserProperty] = []
        var next = properties
        while next != nil, found.count < Message.mostUserProperties {
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            next = mosquitto_property_read_string_pair(
                next, identifier, &name, &value, !found.isEmpty)
            defer {
                free(name)
                free(value)
            }
            guard next != nil, let name, let value else { break }
            found.append(
                UserProperty(name: String(cString: name), value: String(cString: value)))
        }
        return found
    }

    private static func callbacks(_ context: UnsafeMutableRawPointer?) -> Callbacks? {
        context.map { Unmanaged<Callbacks>.fromOpaque($0).takeUnretainedValue() }
    }
}
