import Contract
import JSON
import Outbox
import Posix
import Primitives
import Prometheus

/// A message from the uplink's process to the radio's.
package enum UplinkReply: Equatable, Sendable {
    /// Settings to apply.
    case order(ApplyRequest)
    /// The batches that the uplink still needs, and what its successor needs besides. A sign of life as well.
    case account(UplinkAccount)
    /// The stored form of a batch whose message is decided: the same message is sent each time.
    case decided(seq: UInt64, [UInt8])
    /// The configuration file was read again: its bytes; `nil` if it has faults, so that nothing has changed.
    case reloaded([UInt8]?)
    /// The layers in force, as JSON.
    case layers([UInt8])
    /// Notifications for the service manager.
    case service([ServiceManager.Notification])
}

/// What the uplink's process hands to its successor.
package struct UplinkAccount: Equatable, Sendable {
    /// The number of batches received from the radio's process.
    package var received: UInt64 = 0
    package var outbox = OutboxAccount()
    package var connections: UInt64 = 0
    package var takeovers: UInt64 = 0
    package var sightings = SightingTally()

    package init() {}
}

/// What an uplink's process needs to begin: the first message to it.
package struct UplinkStart: Equatable, Sendable {
    package var session: Session
    /// When the agent began.
    package var began: Instant
    /// 0 for the first uplink of the session, 1 for its successor, …
    package var generation: UInt64 = 0
    /// The path of the configuration file.
    package var path: String
    /// The file's bytes when the agent began.
    package var configuration: [UInt8]
    /// The file's bytes after the latest reload; `nil` before.
    package var reloaded: [UInt8]?
    /// The command line's radio source; `nil` for the file's.
    package var source: String?
    /// The layers in force, as JSON.
    package var layers: [UInt8]
    /// Whether there is a service manager to notify.
    package var hasServiceManager: Bool
    /// Whether the service manager knows that the service is ready.
    package var isReady = false
    /// The account of the uplink before; `nil` for the first, and if that one has not reported any.
    package var account: UplinkAccount?
    /// The number of batches that follow first, and that an earlier uplink had.
    package var batches = 0
}

/// The limits of what an uplink's process may send.
private enum Limit {
    static let bytes = UInt64(FrameStream.maxBytes)
    static let settings: UInt64 = 1 << 20
    static let document: UInt64 = 4 << 20
    static let text: UInt64 = 1 << 12
    static let notifications: UInt64 = 16
}

extension UplinkReply {
    private enum Kind: UInt8 {
        case order, account, decided, reloaded, layers, service
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 128)
        switch self {
        case .order(let request):
            writer.put(byte: Kind.order.rawValue)
            writer.put(request.id)
            writer.put(GatewaySettings.keys.json(request.settings).text)
        case .account(let account):
            writer.put(byte: Kind.account.rawValue)
            account.write(to: &writer)
        case .decided(let seq, let bytes):
            writer.put(byte: Kind.decided.rawValue)
            writer.put(seq)
            writer.put(bytes)
        case .reloaded(let bytes):
            writer.put(byte: Kind.reloaded.rawValue)
            writer.put(bytes) { $0.put($1) }
        case .layers(let bytes):
            writer.put(byte: Kind.layers.rawValue)
            writer.put(bytes)
        case .service(let notifications):
            writer.put(byte: Kind.service.rawValue)
            writer.put(UInt64(notifications.count))
            for notification in notifications { notification.write(to: &writer) }
        }
        return writer.bytes
    }

    /// The sender can be a process that a broker has taken over: any bytes give a message or an error.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes[...])
        guard let kind = Kind(rawValue: try reader.byte()) else { throw DecodeError(offset: 0) }
        switch kind {
        case .order:
            let id = try reader.number()
            self = .order(ApplyRequest(id: id, settings: try reader.settings()))
        case .account: self = .account(try UplinkAccount(from: &reader))
        case .decided:
            let seq = try reader.number()
            self = .decided(seq: seq, try reader.bytes(atMost: Limit.bytes))
        case .reloaded:
            self = .reloaded(
                try reader.optional { reader throws(DecodeError) in
                    try reader.bytes(atMost: Limit.document)
                })
        case .layers: self = .layers(try reader.bytes(atMost: Limit.document))
        case .service:
            var notifications: [ServiceManager.Notification] = []
            for _ in 0..<(try reader.count(atMost: Limit.notifications)) {
                notifications.append(try ServiceManager.Notification(from: &reader))
            }
            self = .service(notifications)
        }
        guard reader.isAtEnd else { throw DecodeError(offset: reader.offset) }
    }
}

extension ByteReader {
    fileprivate mutating func settings() throws(DecodeError) -> GatewaySettings {
        let start = offset
        let text = try bytes(atMost: Limit.settings)
        guard let json = try? JSON(parsing: text, maxBytes: Int(Limit.settings)),
            let settings = try? GatewaySettings(merged: json)
        else { throw DecodeError(offset: start) }
        return settings
    }
}

extension ServiceManager.Notification {
    private enum Kind: UInt8 {
        case ready, reloading, status
    }

    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .ready: writer.put(byte: Kind.ready.rawValue)
        case .reloading: writer.put(byte: Kind.reloading.rawValue)
        case .status(let text):
            writer.put(byte: Kind.status.rawValue)
            writer.put(String(text.prefix(Int(Limit.text) / 4)))
        // The radio's process sends these itself.
        case .stopping, .alive: writer.put(byte: .max)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let start = reader.offset
        switch Kind(rawValue: try reader.byte()) {
        case .ready: self = .ready
        case .reloading: self = .reloading
        case .status: self = .status(try reader.text(atMost: Limit.text))
        case nil: throw DecodeError(offset: start)
        }
    }
}

extension UplinkAccount {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.put(received)
        outbox.write(to: &writer)
        writer.put(connections)
        writer.put(takeovers)
        writer.put(sightings.total)
        writer.put(sightings.identities) { $0.put(UInt64(max(0, $1))) }
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        self.init()
        received = try reader.number()
        outbox = try OutboxAccount(from: &reader)
        connections = try reader.number()
        takeovers = try reader.number()
        let total = try reader.number()
        let identities = try reader.optional { reader throws(DecodeError) in
            try reader.count(atMost: UInt64(UInt32.max))
        }
        sightings = SightingTally(total: total, identities: identities)
    }
}

extension UplinkStart {
    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 4096)
        writer.put(session.description)
        writer.put(signed: began.microseconds)
        writer.put(generation)
        writer.put(path)
        writer.put(configuration)
        writer.put(reloaded) { $0.put($1) }
        writer.put(source) { $0.put($1) }
        writer.put(layers)
        writer.put(byte: hasServiceManager ? 1 : 0)
        writer.put(byte: isReady ? 1 : 0)
        writer.put(account) { $1.write(to: &$0) }
        writer.put(UInt64(batches))
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes[...])
        session = Session(description: try reader.text(atMost: Limit.text))
        began = Instant(microseconds: try reader.signed(within: .max))
        generation = try reader.number()
        path = try reader.text(atMost: Limit.bytes)
        configuration = try reader.bytes(atMost: Limit.bytes)
        reloaded = try reader.optional { reader throws(DecodeError) in
            try reader.bytes(atMost: Limit.bytes)
        }
        source = try reader.optional { reader throws(DecodeError) in
            try reader.text(atMost: Limit.bytes)
        }
        layers = try reader.bytes(atMost: Limit.bytes)
        hasServiceManager = try reader.byte() == 1
        isReady = try reader.byte() == 1
        account = try reader.optional { reader throws(DecodeError) in
            try UplinkAccount(from: &reader)
        }
        batches = try reader.count(atMost: UInt64(UInt32.max))
        guard reader.isAtEnd else { throw DecodeError(offset: reader.offset) }
    }
}
