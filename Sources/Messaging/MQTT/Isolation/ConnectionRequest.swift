import Posix
import Primitives

/// What the owner of an `IsolatedConnection` asks of its process.
enum ConnectionRequest: Equatable {
    /// The first one.
    case start(ConnectionSettings, ProtocolVersion, Will?)
    case publish(Publication, token: UInt64?)
    case subscribe([String], QualityOfService)
    case unsubscribe([String])
    /// The first messages of the connection, as many as this, are stored.
    case acknowledge(UInt64)
    case disconnect
}

/// The limit of texts and payloads.
private let most = UInt64(FrameStream.maxBytes)

extension ConnectionRequest {
    private enum Kind: UInt8 {
        case start, publish, subscribe, unsubscribe, acknowledge, disconnect
    }

    var encoded: [UInt8] {
        switch self {
        case .start(let settings, let version, let will):
            return Self.encoded(.start) { writer in
                settings.write(to: &writer)
                writer.put(byte: version == .v5 ? 5 : 4)
                writer.put(will) { $1.write(to: &$0) }
            }
        case .publish(let message, let token):
            return Self.encoded(.publish, capacity: message.payload.count + 256) { writer in
                writer.put(token) { $0.put($1) }
                message.write(to: &writer)
            }
        case .subscribe(let filters, let quality):
            return Self.encoded(.subscribe) { writer in
                writer.put(quality)
                writer.put(texts: filters)
            }
        case .unsubscribe(let filters): return Self.encoded(.unsubscribe) { $0.put(texts: filters) }
        case .acknowledge(let number): return Self.encoded(.acknowledge) { $0.put(number) }
        case .disconnect: return Self.encoded(.disconnect) { _ in }
        }
    }

    private static func encoded(
        _ kind: Kind, capacity: Int = 256, _ write: (inout ByteWriter) -> Void
    ) -> [UInt8] {
        var writer = ByteWriter(capacity: capacity)
        writer.put(byte: kind.rawValue)
        write(&writer)
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes[...])
        switch Kind(rawValue: try reader.byte()) {
        case .start:
            let settings = try ConnectionSettings(from: &reader)
            let version = try reader.byte() == 5 ? ProtocolVersion.v5 : .v311
            self = .start(
                settings, version,
                try reader.optional { reader throws(DecodeError) in try Will(from: &reader) })
        case .publish:
            let token = try reader.optional { reader throws(DecodeError) in try reader.number() }
            self = .publish(try Publication(from: &reader), token: token)
        case .subscribe:
            let quality = try reader.quality()
            self = .subscribe(try reader.texts(), quality)
        case .unsubscribe: self = .unsubscribe(try reader.texts())
        case .acknowledge: self = .acknowledge(try reader.number())
        case .disconnect: self = .disconnect
        case nil: throw DecodeError(offset: 0)
        }
        guard reader.isAtEnd else { throw DecodeError(offset: reader.offset) }
    }
}

extension ConnectionSettings {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.put(host)
        writer.put(UInt64(port))
        writer.put(tls) { writer, tls in
            writer.put(tls.caFile) { $0.put($1) }
            writer.put(tls.client) {
                $0.put($1.certFile)
                $0.put($1.keyFile)
            }
        }
        writer.put(username) { $0.put($1) }
        writer.put(password) { $0.put($1) }
        writer.put(clientID)
        writer.put(signed: keepAliveSeconds)
        writer.put(signed: answerTimeout.microseconds)
        writer.put(connackTimeout) { $0.put(signed: $1.microseconds) }
        writer.put(asksForHTTP)
        writer.put(signed: maximumPayload)
        writer.put(reading) {
            $0.put(UInt64($1.expirySeconds))
            $0.put(UInt64($1.receiveMaximum))
            $0.put(UInt64($1.batch))
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        self.init(
            host: try reader.text(atMost: most),
            port: UInt16(try reader.count(atMost: UInt64(UInt16.max))))
        tls = try reader.optional { reader throws(DecodeError) in
            TLSSettings(
                caFile: try reader.optionalText(),
                client: try reader.optional { reader throws(DecodeError) in
                    TLSSettings.ClientCertificate(
                        certFile: try reader.text(atMost: most),
                        keyFile: try reader.text(atMost: most))
                })
        }
        username = try reader.optionalText()
        password = try reader.optionalText()
        clientID = try reader.text(atMost: most)
        keepAliveSeconds = Int(try reader.signed(within: .max))
        answerTimeout = .microseconds(try reader.signed(within: .max))
        connackTimeout = try reader.optional { reader throws(DecodeError) in
            .microseconds(try reader.signed(within: .max))
        }
        asksForHTTP = try reader.flag()
        maximumPayload = Int(try reader.signed(within: .max))
        reading = try reader.optional { reader throws(DecodeError) in
            DurableReading(
                expirySeconds: UInt32(try reader.count(atMost: UInt64(UInt32.max))),
                receiveMaximum: UInt16(try reader.count(atMost: UInt64(UInt16.max))),
                batch: UInt16(try reader.count(atMost: UInt64(UInt16.max))))
        }
    }
}

extension Will {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.put(topic)
        writer.put(payload)
        writer.put(quality)
        writer.put(isRetained)
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        self.init(
            topic: try reader.text(atMost: most), payload: try reader.bytes(atMost: most))
        quality = try reader.quality()
        isRetained = try reader.flag()
    }
}

extension Publication {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.put(topic)
        writer.put(payload)
        writer.put(quality)
        writer.put(isRetained)
        writer.put(contentType) { $0.put($1) }
        writer.put(UInt64(expirySeconds))
        writer.put(userProperties)
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        self.init(
            topic: try reader.text(atMost: most), payload: try reader.bytes(atMost: most),
            quality: try reader.quality(), isRetained: try reader.flag(),
            contentType: try reader.optionalText(),
            expirySeconds: UInt32(try reader.count(atMost: UInt64(UInt32.max))))
        userProperties = try reader.userProperties(atMost: most)
    }
}

extension ByteWriter {
    mutating func put(_ flag: Bool) { put(byte: flag ? 1 : 0) }
    mutating func put(_ quality: QualityOfService) { put(quality == .atLeastOnce) }

    mutating func put(_ properties: [UserProperty]) {
        put(UInt64(properties.count))
        for property in properties {
            put(property.name)
            put(property.value)
        }
    }

    fileprivate mutating func put(texts: [String]) {
        put(UInt64(texts.count))
        for text in texts { put(text) }
    }
}

extension ByteReader {
    mutating func flag() throws(DecodeError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw DecodeError(offset: offset - 1)
        }
    }

    mutating func quality() throws(DecodeError) -> QualityOfService {
        try flag() ? .atLeastOnce : .atMostOnce
    }

    mutating func userProperties(
        atMost limit: UInt64
    ) throws(DecodeError) -> [UserProperty] {
        var properties: [UserProperty] = []
        for _ in 0..<(try count(atMost: limit)) {
            properties.append(
                UserProperty(name: try text(atMost: limit), value: try text(atMost: limit)))
        }
        return properties
    }

    fileprivate mutating func optionalText() throws(DecodeError) -> String? {
        try optional { reader throws(DecodeError) in try reader.text(atMost: most) }
    }

    fileprivate mutating func texts() throws(DecodeError) -> [String] {
        var texts: [String] = []
        for _ in 0..<(try count(atMost: most)) { texts.append(try text(atMost: most)) }
        return texts
    }
}
