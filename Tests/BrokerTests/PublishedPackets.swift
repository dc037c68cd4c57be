import Synchronization

/// The messages that a fake broker received.
final class PublishedPackets: Sendable {
    /// A PUBLISH of QoS 1 in MQTT 5 (section 3.3).
    struct Packet {
        let topic: String
        /// Two bytes.
        let identifier: [UInt8]
        /// The payload, with the properties before it.
        let payload: [UInt8]

        /// `nil` for other packets.
        init?(_ bytes: [UInt8]) {
            guard let first = bytes.first, first & 0xf6 == 0x32 else { return nil }
            // The length's bytes but the last have their highest bit set.
            let body = bytes.dropFirst().drop { $0 & 0x80 != 0 }.dropFirst()
            let high = body.first ?? 0
            let count = Int(high) << 8 | Int(body.dropFirst().first ?? 0)
            let rest = body.dropFirst(2)
            topic = String(decoding: rest.prefix(count), as: UTF8.self)
            identifier = Array(rest.dropFirst(count).prefix(2))
            payload = Array(rest.dropFirst(count + 2))
        }
    }

    private let state = Mutex<[[UInt8]]>([])

    /// Adds a payload; how many there are now.
    func add(_ payload: [UInt8]) -> Int {
        state.withLock { payloads in
            payloads.append(payload)
            return payloads.count
        }
    }

    /// In the order in which they came.
    var payloads: [[UInt8]] { state.withLock { $0 } }
}
