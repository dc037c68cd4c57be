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
        case connected(reason: UInt8)
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
        case 2 where body.count >= 2: return .connected(reason: body[1])
        // A missing reason means success.
        case 5 where body.count >= 2:
            return .received(identifier: body[1], reason: body.count > 2 ? body[2] : 0)
        case 14: return .disconnected(reason: body.first ?? 0)
        default: return .other
        }
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
