import HCI
import Posix
import Primitives

/// Reads the reports of an adapter that another program has set to scan, without sending a command.
package final class ReportReader {
    private let source: ControllerSource
    private let socket: HCISocket
    private let batch = PacketBatch()

    /// The limit of packets for one read.
    private static let burst = 256

    package init(device: UInt16) throws(RadioFailure) {
        source = .raw(device: device)
        do throws(Errno) {
            socket = try HCISocket(device: device, channel: .raw)
            try socket.filter(events: [Event.Code.leMeta])
        } catch {
            throw RadioFailure.system(error, .raw(device: device))
        }
    }

    /// Becomes readable when `receive` has input.
    package var descriptor: CInt { socket.descriptor.rawValue }

    /// Hands each queued event packet to `body`, from its event code on.
    package func receive(_ body: (Bytes) -> Void) throws(RadioFailure) {
        do throws(Errno) {
            _ = try socket.receive(through: batch, limit: Self.burst) { packet in
                guard packet.bytes.first == H4.PacketType.event.rawValue else { return }
                lend(UnsafeBufferPointer(rebasing: packet.bytes.dropFirst()), body)
            }
        } catch {
            throw RadioFailure.system(error, source)
        }
    }
}
