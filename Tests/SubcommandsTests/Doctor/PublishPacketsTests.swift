import Testing

@testable import Diagnosis

@Suite("the packets of the publish probe")
struct PublishPacketsTests {
    @Test("CONNECT and PUBLISH have the bytes of the specification")
    func writes() {
        #expect(
            PublishPackets.connect(clientID: "ab", username: "u", password: "p")
                == [
                    0x10, 21,  // CONNECT
                    0, 4, 0x4d, 0x51, 0x54, 0x54, 5,  // "MQTT", version 5
                    0xc2, 0, 60,  // user name, password, clean start; keep-alive
                    0,  // no properties
                    0, 2, 0x61, 0x62, 0, 1, 0x75, 0, 1, 0x70,
                ])
        #expect(
            PublishPackets.publish([0x7b, 0x7d], to: "t", identifier: 3)
                == [0x34, 8, 0, 1, 0x74, 0, 3, 0, 0x7b, 0x7d])
        // A length of two bytes.
        let long = PublishPackets.publish([], to: String(repeating: "t", count: 200), identifier: 1)
        #expect(Array(long.prefix(3)) == [0x34, 0xcd, 0x01])
        #expect(long.count == 3 + 205)
    }

    private static let answers: [([UInt8], PublishPackets.Answer)] = [
        ([0x20, 3, 0, 0, 0], .connected(reason: 0)),
        ([0x20, 3, 0, 0x87, 0], .connected(reason: 0x87)),
        (
            [
                0x20, 27, 0, 0, 24,  // CONNACK, success, properties
                0x22, 0, 10,  // Topic Alias Maximum
                0x26, 0, 1, 0x61, 0, 2, 0x62, 0x63,  // User Property
                0x27, 0, 1, 0, 0,  // Maximum Packet Size
                0x12, 0, 0,  // Assigned Client Identifier
                0x24, 1,  // Maximum QoS
                0x21, 0, 1,  // Receive Maximum
            ], .connected(reason: 0, receiveMaximum: 1)
        ),
        ([0x20, 5, 0, 0, 2, 0x21, 0], .connected(reason: 0)),
        ([0x20, 6, 0, 0, 3, 0x7f, 0x21, 0], .connected(reason: 0)),
        ([0x50, 2, 0, 4], .received(identifier: 4, reason: 0)),
        ([0x50, 3, 0, 4, 0x87], .received(identifier: 4, reason: 0x87)),
        ([0xe0, 0], .disconnected(reason: 0)), ([0xe0, 1, 0x9b], .disconnected(reason: 0x9b)),
        ([0x20, 1, 0], .other), ([0xd0, 0], .other),
    ]

    @Test("a complete answer is removed from the buffer", arguments: answers)
    func reads(packet: [UInt8], answer: PublishPackets.Answer) {
        for count in 0..<packet.count {
            var part = Array(packet.prefix(count))
            #expect(PublishPackets.take(from: &part) == nil)
            #expect(part.count == count)
        }
        var bytes = packet + [0x50]
        #expect(PublishPackets.take(from: &bytes) == answer)
        #expect(bytes == [0x50])
    }

    @Test("an endless length is invalid")
    func endless() {
        var bytes: [UInt8] = [0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 1]
        #expect(PublishPackets.take(from: &bytes) == nil)
    }
}
