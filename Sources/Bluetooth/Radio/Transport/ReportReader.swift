import HCI
import Posix
import Primitives

/// Reads the reports of an adapter that another program has set to scan, without sending a command.
package final class ReportReader {
    private let source: ControllerSource
    private let socket: HCISocket
    private var buffer = [UInt8](repeating: 0, count: 2048)

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
        let number = descriptor
        for _ in 0..<Self.burst {
            let result = buffer.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
            let count: Int?
            do throws(Errno) { count = try result.get() } catch {
                throw RadioFailure.system(error, source)
            }
            guard let count, count > 0 else { return }
            guard buffer[0] == H4.PacketType.event.rawValue else { continue }
            buffer.withUnsafeBufferPointer { bytes in
                lend(UnsafeBufferPointer(rebasing: bytes[1..<count]), body)
            }
        }
    }
}
