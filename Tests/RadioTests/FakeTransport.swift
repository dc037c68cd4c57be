import HCI
import Primitives
import TestVectors

@testable import Radio

/// A transport whose packets a test puts in by hand; commands pile up to be looked at.
final class FakeTransport: Transport {
    var descriptors: [CInt] = []
    let isExclusive: Bool
    var drops = 0
    var sent: [HCICommand] = []
    var packets: [[UInt8]] = []
    var failure: RadioFailure?
    /// The limit of packets for one read.
    var burst = Int.max
    /// Whether the transport queues an answer to each command immediately.
    var answersAll = false
    /// How many packets had not been read when a command came.
    var unreadAtCommands: [Int] = []

    init(isExclusive: Bool = true) { self.isExclusive = isExclusive }

    func send(_ command: HCICommand) throws(RadioFailure) {
        if let failure { throw failure }
        sent.append(command)
        unreadAtCommands.append(packets.count)
        if answersAll { complete(command.opcode) }
    }

    func receive(_ body: PacketHandler) throws(RadioFailure) -> Bool {
        let batch = packets.prefix(burst)
        packets.removeFirst(batch.count)
        for packet in batch { packet.withBytes { body(.event, $0, nil) } }
        if let failure { throw failure }
        return packets.isEmpty
    }

    func complete(_ opcode: Opcode, _ answer: [UInt8] = [0]) {
        packets.append(
            [0x0e, UInt8(answer.count + 3), 1] + opcode.rawValue.littleEndianBytes + answer)
    }
}
