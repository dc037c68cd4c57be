import MQTT
import Primitives

/// Finds out whether a broker accepts the agent's publications, without publishing.
///
/// QoS 2 has two steps. The broker answers PUBLISH with PUBREC, which has a reason code, and delivers the message after
/// PUBREL. The probe disconnects before PUBREL, and the broker discards the message. A few brokers, such as EMQX, deliver
/// at PUBLISH (MQTT 5.0 section 4.3.3): their subscribers receive `{}`, not retained. PUBREC of MQTT 3.1.1 has no reason.
/// libmosquitto always sends PUBREL, so this type builds the packets itself.
struct PublishProbe {
    static let payload = Array("{}".utf8)

    private let stream: any WireStream
    private let deadline: Instant
    private var pending: [UInt8] = []

    init(_ stream: any WireStream, until deadline: Instant) {
        self.stream = stream
        self.deadline = deadline
    }

    /// The broker's answers by topic; without an entry for a topic that it has not answered. After as many accepted
    /// messages as the broker allows without PUBREL, the other topics need another connection.
    mutating func run(
        _ settings: ConnectionSettings, topics: [String]
    ) -> [String: ReasonCode] {
        var answers: [String: ReasonCode] = [:]
        defer { _ = stream.write(PublishPackets.disconnect, until: deadline) }
        let hello = PublishPackets.connect(
            clientID: settings.clientID, username: settings.username, password: settings.password)
        guard stream.write(hello, until: deadline), case .connected(0, let maximum) = next() else {
            return [:]
        }
        var accepted = 0
        for (topic, identifier) in zip(topics, 1...UInt8.max) {
            guard accepted < max(1, maximum) else { break }
            let message = PublishPackets.publish(Self.payload, to: topic, identifier: identifier)
            guard stream.write(message, until: deadline) else { break }
            var answer = next()
            while answer == .other { answer = next() }
            switch answer {
            case .received(identifier, let reason):
                answers[topic] = ReasonCode(rawValue: reason)
                if reason < 0x80 { accepted += 1 }
            case .disconnected(let reason):
                answers[topic] = ReasonCode(rawValue: reason)
                return answers
            default: return answers
            }
        }
        return answers
    }

    private mutating func next() -> PublishPackets.Answer? {
        while true {
            if let answer = PublishPackets.take(from: &pending) { return answer }
            // The expected packets are shorter.
            guard pending.count < 1 << 16, let bytes = stream.read(until: deadline) else {
                return nil
            }
            pending += bytes
        }
    }
}

/// The MQTT 5.0 packets of `PublishProbe`.
enum PublishPackets {
    /// CONNECT with a clean start and no will (section 3.1).
    static func connect(clientID: String, username: String?, password: String?) -> [UInt8] {
        let hasName: UInt8 = username == nil ? 0 : 0x80
        let hasPassword: UInt8 = password == nil ? 0 : 0x40
        let keepAlive: [UInt8] = [0, 60]
        let noProperties: [UInt8] = [0]
        var body = string("MQTT") + [5, 0x02 | hasName | hasPassword]
        body += keepAlive + noProperties + string(clientID)
        if let username { body += string(username) }
        if let password { body += string(password) }
        return packet(0x10, body)
    }

    /// PUBLISH with QoS 2, not retained (section 3.3).
    static func publish(_ payload: [UInt8], to topic: String, identifier: UInt8) -> [UInt8] {
        packet(0x34, string(topic) + [0, identifier, 0] + payload)
    }

    /// DISCONNECT, normal: ends the session and discards messages in flight (section 3.14).
    static let disconnect: [UInt8] = [0xe0, 0]

    /// A packet from the broker.
    enum Answer: Equatable {
        /// CONNACK (section 3.2): `receiveMaximum` messages may be without an answer.
        case connected(reason: UInt8, receiveMaximum: UInt16 = .max)
        /// PUBREC (section 3.5).
        case received(identifier: UInt8, reason: UInt8)
        case disconnected(reason: UInt8)
        case other
    }

    /// Removes the first packet from `bytes`; `nil` while it is incomplete.
    static func take(from bytes: inout [UInt8]) -> Answer? {
        var length = 0
        var shift = 0
        var start = 1
        while true {
            guard start < bytes.count, shift <= 21 else { return nil }
            length |= Int(bytes[start] & 0x7f) << shift
            shift += 7
            start += 1
            if bytes[start - 1] & 0x80 == 0 { break }
        }
        guard bytes.count - start >= length else { return nil }
        let body = Array(bytes[start..<start + length])
        let kind = bytes[0] >> 4
        bytes.removeFirst(start + length)
        switch kind {
        case 2 where body.count >= 2:
            let maximum = receiveMaximum(in: body.dropFirst(2))
            return .connected(reason: body[1], receiveMaximum: maximum)
        // A missing reason means success.
        case 5 where body.count >= 2:
            return .received(identifier: body[1], reason: body.count > 2 ? body[2] : 0)
        case 14: return .disconnected(reason: body.first ?? 0)
        default: return .other
        }
    }

    /// The Receive Maximum among the properties of a CONNACK (section 3.2.2.3.3).
    private static func receiveMaximum(in properties: ArraySlice<UInt8>) -> UInt16 {
        // No property of a CONNACK needs a longer length than one byte, unless the broker adds texts.
        var rest = properties.drop { $0 & 0x80 != 0 }.dropFirst()
        while let property = rest.popFirst() {
            let bytes = Array(rest.prefix(4))
            let length: Int
            switch property {
            case 0x21 where bytes.count >= 2: return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
            // Maximum QoS, Retain, Wildcard, Subscription Identifier and Shared Subscription Available.
            case 0x24, 0x25, 0x28, 0x29, 0x2a: length = 1
            // Server Keep Alive, Topic Alias Maximum.
            case 0x13, 0x22: length = 2
            // Session Expiry Interval, Maximum Packet Size.
            case 0x11, 0x27: length = 4
            // Texts with their length. A User Property has two of them.
            case 0x12, 0x15, 0x16, 0x1a, 0x1c, 0x1f, 0x26:
                guard bytes.count >= 2 else { return .max }
                let first = 2 + (Int(bytes[0]) << 8 | Int(bytes[1]))
                let value = Array(rest.dropFirst(first).prefix(2))
                guard property == 0x26 else {
                    length = first
                    break
                }
                guard value.count == 2 else { return .max }
                length = first + 2 + (Int(value[0]) << 8 | Int(value[1]))
            default: return .max
            }
            rest = rest.dropFirst(length)
        }
        return .max
    }

    private static func packet(_ head: UInt8, _ body: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = body.count
        repeat {
            length.append(UInt8(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return [head] + length + body
    }

    /// A UTF-8 string of at most 65,535 bytes (section 1.5.4).
    private static func string(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(65_535))
        return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
    }
}
