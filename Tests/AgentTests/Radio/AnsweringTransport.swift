import HCI
import Primitives
import Radio

/// A transport whose controller confirms each command immediately, and delivers the test's events.
final class AnsweringTransport: Transport {
    let descriptors: [CInt] = []
    let isExclusive: Bool
    var drops = 0
    var isSilent = false
    var failure: RadioFailure?
    private(set) var sent: [Command] = []
    private var packets: [[UInt8]] = []

    init(isExclusive: Bool = true) { self.isExclusive = isExclusive }

    func send(_ command: Command) throws(RadioFailure) {
        sent.append(command)
        if !isSilent { complete(command.opcode) }
    }

    func receive(_ body: (Bytes) -> Void) throws(RadioFailure) {
        let batch = packets
        packets = []
        for packet in batch { packet.withBytes { body($0) } }
        if let failure { throw failure }
    }

    func hear(_ event: [UInt8]) { packets.append(event) }

    /// Adds the answer to a command of the gateway or of another program.
    func complete(_ opcode: Opcode) {
        packets.append([0x0e, 4, 1] + opcode.rawValue.littleEndianBytes + [0])
    }
}
