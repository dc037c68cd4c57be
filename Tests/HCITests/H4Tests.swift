import TestVectors
import Testing

@testable import HCI

@Suite struct H4Tests {
    struct Vector: CustomTestStringConvertible, Sendable {
        let type: H4.PacketType
        let packet: String
        var testDescription: String { "\(type)" }
    }

    private static let vectors = [
        Vector(type: .command, packet: "01 03 0c 02 aa bb"),
        Vector(type: .acl, packet: "02 40 00 03 00 aa bb cc"),
        Vector(type: .sco, packet: "03 40 00 01 aa"),
        Vector(type: .event, packet: "04 0e 04 01 0b 20 00"),
        // The two upper bits of an ISO packet's length are reserved.
        Vector(type: .iso, packet: "05 40 00 02 c0 aa bb"),
        Vector(type: .event, packet: "04 ff 00"),
    ]

    @Test(
        "each packet type has its own header, and only whole packets are framed",
        arguments: vectors)
    func frames(vector: Vector) throws {
        let packet = hex(vector.packet)
        for offset in [0, 3] {
            let stream = [UInt8](repeating: 0xee, count: offset) + packet
            for end in offset..<stream.count {
                let part = Array(stream[..<end])
                #expect(try part.withBytes { try H4.packet(in: $0, at: offset) } == nil)
            }
            for rest in ["", "04", "ff ff"] {
                let whole = stream + hex(rest)
                #expect(
                    try whole.withBytes { try H4.packet(in: $0, at: offset) }
                        == H4.Packet(type: vector.type, body: offset + 1..<stream.count))
            }
        }
    }

    @Test(
        "an unknown packet type is reported with its offset",
        arguments: [0, 6, 0x3e, 0xff])
    func outOfStep(byte: UInt8) {
        let bytes = hex("04 ff 00") + [byte, 0, 0, 0, 0]
        #expect(throws: H4.OutOfStep(offset: 3)) {
            try bytes.withBytes { try H4.packet(in: $0, at: 3) }
        }
    }

    @Test("the longest packets are framed")
    func longest() throws {
        let event = [0x04, 0x3e, 0xff] + [UInt8](repeating: 1, count: 255)
        #expect(try event.withBytes { try H4.packet(in: $0, at: 0) }?.body == 1..<258)
        let acl = hex("02 00 00 ff ff") + [UInt8](repeating: 1, count: 65535)
        #expect(try acl.withBytes { try H4.packet(in: $0, at: 0) }?.body == 1..<65540)
    }
}
