import Primitives

/// The framing of HCI packets in a byte stream: each packet has a type byte before it (Core 5.4 Vol 4 Part A).
package enum H4 {
    package enum PacketType: UInt8, Sendable {
        case command = 0x01
        case acl = 0x02
        case sco = 0x03
        case event = 0x04
        case iso = 0x05
    }

    /// An unknown packet type: the stream has lost its framing.
    package struct OutOfStep: Error, Equatable {
        package let offset: Int
    }

    /// One packet of a stream. `body` excludes the type byte.
    package struct Packet: Equatable {
        package let type: PacketType
        package let body: Range<Int>
    }

    /// The packet at `offset`; `nil` if the bytes end before the packet does.
    package static func packet(in bytes: Bytes, at offset: Int) throws(OutOfStep) -> Packet? {
        guard offset < bytes.count else { return nil }
        guard let type = PacketType(rawValue: bytes[offset]) else {
            throw OutOfStep(offset: offset)
        }
        let start = offset + 1
        guard let length = bodyCount(type, in: bytes, at: start), start + length <= bytes.count
        else { return nil }
        return Packet(type: type, body: start..<start + length)
    }

    /// The size of header and payload; `nil` if the header is incomplete.
    private static func bodyCount(_ type: PacketType, in bytes: Bytes, at start: Int) -> Int? {
        let header =
            switch type {
            case .event: 2
            case .command, .sco: 3
            case .acl, .iso: 4
            }
        guard start + header <= bytes.count else { return nil }
        switch type {
        case .event: return header + Int(bytes[start + 1])
        case .command, .sco: return header + Int(bytes[start + 2])
        case .acl: return header + Int(bytes.littleEndian16(at: start + 2))
        case .iso:
            return header + Int(bytes.littleEndian16(at: start + 2) & 0x3fff)
        }
    }
}
