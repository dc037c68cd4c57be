import HCI
import Primitives
import Radio
import VirtualRadio

/// A transport to a simulated controller, in the same thread and on the test's clock.
package final class SimulatedTransport: Transport {
    package let descriptors: [CInt] = []
    /// Whether the agent has exclusive use of the controller.
    package let isExclusive: Bool
    package let drops = 0
    /// The controller at the other end.
    package var controller: SimulatedController
    /// The test's clock.
    package var now = Instant(microseconds: 0)
    /// The opcodes of the received commands, in order.
    package private(set) var sent: [Opcode] = []
    /// The failure of the transport; `nil` while it works.
    package var failure: RadioFailure?

    package init(
        family: CommandFamily, version: SimulatedController.CoreVersion = .bluetooth50,
        isExclusive: Bool = true
    ) {
        self.isExclusive = isExclusive
        var configuration = SimulatedController.Configuration(
            family: family, address: 0x0200_5e00_5301)
        configuration.version = version
        controller = SimulatedController(configuration)
    }

    package func send(_ command: HCICommand) throws(RadioFailure) {
        if let failure { throw failure }
        sent.append(command.opcode)
        controller.receive(command.packet, at: now)
    }

    package func receive(_ body: PacketHandler) throws(RadioFailure) -> Bool {
        if let failure { throw failure }
        controller.advance(to: now)
        var rest = controller.takeOutput()[...]
        // Each packet: type, code, length, parameters.
        while rest.count >= 3 {
            let end = rest.startIndex + 3 + Int(rest[rest.startIndex + 2])
            Array(rest[rest.startIndex + 1..<end]).withBytes { body(.event, $0, nil) }
            rest = rest[end...]
        }
        return true
    }
}
