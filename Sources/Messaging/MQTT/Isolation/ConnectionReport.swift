import Posix
import Primitives

/// What the process of an `IsolatedConnection` reports: the state of its connection, and what has happened.
struct ConnectionReport: Equatable {
    struct State: Equatable {
        /// Publications that the process has taken.
        var published: UInt64 = 0
        /// As `BrokerConnection` has them.
        var unacknowledged = 0
        var isWriting = false
        var awaitsAcknowledgement = false
    }

    var state = State()
    var events: [ConnectionEvent]
    /// After the end: the packets that the broker has not answered.
    var unanswered: [UnansweredPacket] = []
}

/// The limits of what a broker can make the process report.
private enum Limit {
    /// Of the messages of one report, unless one has more.
    static let report = 1 << 20
    static let text: UInt64 = 1 << 18
    static let payload = UInt64(FrameStream.maxBytes)
    static let packets: UInt64 = 1 << 16
}

extension ConnectionReport {
    /// The same in reports of a limited size.
    var parts: [ConnectionReport] {
        var parts: [ConnectionReport] = []
        var part = ConnectionReport(state: state, events: [], unanswered: unanswered)
        var bytes = 0
        for event in events {
            if bytes > Limit.report {
                parts.append(part)
                (part.events, bytes) = ([], 0)
            }
            part.events.append(event)
            if case .message(let message) = event { bytes += message.size }
        }
        return parts + [part]
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 1024)
        writer.put(state.published)
        writer.put(UInt64(max(0, state.unacknowledged)))
        writer.put(state.isWriting)
        writer.put(state.awaitsAcknowledgement)
        writer.put(UInt64(unanswered.count))
        for packet in unanswered { packet.write(to: &writer) }
        for event in events { event.write(to: &writer) }
        return writer.bytes
    }

    /// The sender can be a process that a broker has taken over: any bytes give a report or an error.
    ///
    /// - Parameter address: of the broker.
    init(decoding bytes: [UInt8], from address: String) throws(DecodeError) {
        var reader = ByteReader(bytes[...])
        state.published = try reader.number()
        state.unacknowledged = try reader.count(atMost: Limit.packets)
        state.isWriting = try reader.flag()
        state.awaitsAcknowledgement = try reader.flag()
        for _ in 0..<(try reader.count(atMost: Limit.packets)) {
            unanswered.append(try UnansweredPacket(from: &reader))
        }
        events = []
        while !reader.isAtEnd { events.append(try ConnectionEvent(from: &reader, address)) }
    }
}

extension ConnectionEvent {
    private enum Kind: UInt8 {
        case connected, acknowledged, subscribed, message, oversized, ended
    }

    fileprivate func write(to writer: inout ByteWriter) {
        func put(_ kind: Kind) { writer.put(byte: kind.rawValue) }
        switch self {
        case .connected(let abilities):
            put(.connected)
            abilities.write(to: &writer)
        case .acknowledged(let token, let reason):
            put(.acknowledged)
            writer.put(token) { $0.put($1) }
            writer.put(byte: reason.rawValue)
        case .subscribed(let filter, let reason):
            put(.subscribed)
            writer.put(filter)
            writer.put(byte: reason.rawValue)
        case .message(let message):
            put(.message)
            writer.put(message.topic)
            writer.put(message.payload)
            writer.put(message.isRetained)
            writer.put(message.userProperties)
        case .oversized(let topic, let bytes):
            put(.oversized)
            writer.put(topic)
            writer.put(UInt64(max(0, bytes)))
        case .ended(let failure):
            put(.ended)
            failure.cause.write(to: &writer)
        }
    }

    fileprivate init(from reader: inout ByteReader, _ address: String) throws(DecodeError) {
        let start = reader.offset
        switch Kind(rawValue: try reader.byte()) {
        case .connected: self = .connected(try BrokerAbilities(from: &reader))
        case .acknowledged:
            let token = try reader.optional { reader throws(DecodeError) in try reader.number() }
            self = .acknowledged(token: token, try reader.reason())
        case .subscribed:
            let filter = try reader.text(atMost: Limit.text)
            self = .subscribed(filter: filter, try reader.reason())
        case .message:
            var message = Message(
                topic: try reader.text(atMost: Limit.text),
                payload: try reader.bytes(atMost: Limit.payload),
                isRetained: try reader.flag())
            message.userProperties = try reader.userProperties(atMost: Limit.text)
            self = .message(message)
        case .oversized:
            let topic = try reader.text(atMost: Limit.text)
            self = .oversized(topic: topic, bytes: try reader.count(atMost: UInt64(Int.max)))
        case .ended:
            let cause = try ConnectionFailure.Cause(from: &reader)
            self = .ended(ConnectionFailure(address: address, cause: cause))
        case nil: throw DecodeError(offset: start)
        }
    }
}

extension BrokerAbilities {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.put(version == .v5)
        writer.put(UInt64(max(0, receiveMaximum)))
        writer.put(maximumPacketSize) { $0.put(UInt64(max(0, $1))) }
        writer.put(maximumQuality)
        writer.put(retains)
        writer.put(hasWildcards)
        writer.put(hasSharedSubscriptions)
        writer.put(sessionExpirySeconds) { $0.put(UInt64($1)) }
        writer.put(keepAliveSeconds) { $0.put(UInt64(max(0, $1))) }
        writer.put(assignedClientID) { $0.put($1) }
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        self.init(version: try reader.flag() ? .v5 : .v311)
        receiveMaximum = try reader.number32()
        maximumPacketSize = try reader.optional { reader throws(DecodeError) in
            try reader.number32()
        }
        maximumQuality = try reader.quality()
        retains = try reader.flag()
        hasWildcards = try reader.flag()
        hasSharedSubscriptions = try reader.flag()
        sessionExpirySeconds = try reader.optional { reader throws(DecodeError) in
            UInt32(try reader.number32())
        }
        keepAliveSeconds = try reader.optional { reader throws(DecodeError) in
            try reader.number32()
        }
        assignedClientID = try reader.optional { reader throws(DecodeError) in
            try reader.text(atMost: Limit.text)
        }
    }
}

extension UnansweredPacket {
    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .subscription(let filter):
            writer.put(false)
            writer.put(filter)
        case .publication(let publication):
            writer.put(true)
            writer.put(publication.token) { $0.put($1) }
            writer.put(publication.topic)
            writer.put(UInt64(max(0, publication.bytes)))
            writer.put(publication.isRetained)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        guard try reader.flag() else {
            self = .subscription(try reader.text(atMost: Limit.text))
            return
        }
        let token = try reader.optional { reader throws(DecodeError) in try reader.number() }
        self = .publication(
            SentPublication(
                token: token, topic: try reader.text(atMost: Limit.text),
                bytes: try reader.count(atMost: Limit.payload), isRetained: try reader.flag()))
    }
}

extension ByteReader {
    mutating func reason() throws(DecodeError) -> ReasonCode { ReasonCode(rawValue: try byte()) }

    fileprivate mutating func number32() throws(DecodeError) -> Int {
        try count(atMost: UInt64(UInt32.max))
    }
}
