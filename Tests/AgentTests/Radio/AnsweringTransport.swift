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
    /// The answer to a question for the controller's address; empty for a controller that does not tell it.
    var address: [UInt8] = []
    private(set) var sent: [HCICommand] = []
    private var packets: [(bytes: [UInt8], arrival: Instant?)] = []
    var stampsArrivals = false

    init(isExclusive: Bool = true) { self.isExclusive = isExclusive }

    func send(_ command: HCICommand) throws(RadioFailure) {
        sent.append(command)
        if !isSilent { complete(command.opcode) }
    }

    func receive(_ body: PacketHandler) throws(RadioFailure) -> Bool {
        let batch = packets
        packets = []
        for packet in batch { packet.bytes.withBytes { body(.event, $0, packet.arrival) } }
        if let failure { throw failure }
        return true
    }

    /// - Parameter arrival: the kernel's time of the event, on the wall clock.
    func hear(_ event: [UInt8], arrival: Instant? = nil) { packets.append((event, arrival)) }

    /// Adds the answer to a command of the gateway or of another program.
    func complete(_ opcode: Opcode) {
        let answer = opcode == .readDeviceAddress ? address : []
        hear([0x0e, UInt8(4 + answer.count), 1] + opcode.rawValue.littleEndianBytes + [0] + answer)
    }
}
