import HCI
import Primitives
import TestVectors

@testable import Radio

/// A transport whose packets a test puts in by hand; commands pile up to be looked at.
final class FakeTransport: Transport {
    var descriptors: [CInt] = []
    let isExclusive: Bool
    var drops = 0
    var sent: [Command] = []
    var packets: [[UInt8]] = []
    var failure: RadioFailure?
    /// Whether the transport queues an answer to each command immediately.
    var answersAll = false
    /// How many packets had not been read when a command came.
    var unreadAtCommands: [Int] = []

    init(isExclusive: Bool = true) { self.isExclusive = isExclusive }

    func send(_ command: Command) throws(RadioFailure) {
        if let failure { throw failure }
        sent.append(command)
        unreadAtCommands.append(packets.count)
        if answersAll { complete(command.opcode) }
    }

    func receive(_ body: (Bytes) -> Void) throws(RadioFailure) {
        let batch = packets
        packets = []
        for packet in batch { packet.withBytes { body($0) } }
        if let failure { throw failure }
    }

    func complete(_ opcode: Opcode, _ answer: [UInt8] = [0]) {
        packets.append(
            [0x0e, UInt8(answer.count + 3), 1] + opcode.rawValue.littleEndianBytes + answer)
    }
}
