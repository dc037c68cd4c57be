import Outbox
import Posix
import Primitives
import TestVectors
import Testing

@testable import Agent

@Suite("messages between the radio and the uplink")
struct LinkCodingTests {
    @Test("decoding returns the encoded message", arguments: UInt64(0)..<50)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for message in LinkMessages.messages(&random) {
            #expect(try UplinkMessage(decoding: message.encoded) == message)
        }
        for reply in try LinkMessages.replies(&random) {
            #expect(try UplinkReply(decoding: reply.encoded) == reply)
        }
        let start = LinkMessages.start(&random)
        #expect(try UplinkStart(decoding: start.encoded) == start)
    }

    @Test(
        "a prefix of a reply, and a reply with a further byte, are errors", arguments: UInt64(0)..<5
    )
    func prefixes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for reply in try LinkMessages.replies(&random) {
            let bytes = reply.encoded
            for count in bytes.indices {
                #expect(throws: DecodeError.self) {
                    try UplinkReply(decoding: Array(bytes[..<count]))
                }
            }
            #expect(throws: DecodeError.self) { try UplinkReply(decoding: bytes + [0]) }
        }
    }

    /// The uplink's process may be in the hands of a broker.
    @Test("a reply with changed bytes gives a reply or an error", arguments: UInt64(0)..<40)
    func damaged(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var link = UplinkLink(Origin(session: "s"))
        for reply in try LinkMessages.replies(&random) {
            let bytes = reply.encoded
            for index in bytes.indices {
                var damaged = bytes
                for value: UInt8 in [
                    0, 0x7f, 0x80, 0xff, .random(in: .min ... .max, using: &random),
                ] {
                    damaged[index] = value
                    if let reply = try? UplinkReply(decoding: damaged) { link.handle(reply) }
                }
            }
        }
    }

    @Test("a message with changed bytes gives a message or an error", arguments: UInt64(0)..<10)
    func damagedMessages(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for message in LinkMessages.messages(&random) {
            // These cross as memory, from the process with more rights.
            switch message {
            case .radio, .usage: continue
            default: break
            }
            let bytes = message.encoded
            for index in bytes.indices {
                var damaged = bytes
                damaged[index] = UInt8.random(in: .min ... .max, using: &random)
                _ = try? UplinkMessage(decoding: damaged)
            }
            for count in bytes.indices { _ = try? UplinkMessage(decoding: Array(bytes[..<count])) }
        }
    }

    @Test("a batch counts as received once it is passed on")
    func received() throws {
        var random = SeededGenerator(seed: 1)
        let (ours, theirs) = try Sockets.pair()
        let stream = FrameStream(Descriptor(owning: ours))
        let port = UplinkPort(Descriptor(owning: theirs))
        let batch = UplinkMessage.batch(LinkMessages.stored(0, &random), isDecided: false)
        let usage = UplinkMessage.usage(ProcessUsage())
        for message in [usage, batch, usage, batch, usage] { stream.send(message.encoded) }
        stream.flush()
        var counts: [UInt64] = []
        port.take { if $0 == usage { counts.append(port.received) } }
        #expect(counts == [0, 1, 2])
    }
}
