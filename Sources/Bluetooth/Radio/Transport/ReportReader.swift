import HCI
import Posix
import Primitives

/// A listener to what an adapter reports because of somebody else's scan: it sends nothing.
package final class ReportReader {
    private let source: ControllerSource
    private let socket: HCISocket
    private var buffer = [UInt8](repeating: 0, count: 2048)

    /// Packets read before the poll is asked again.
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

    /// To wait on for reading.
    package var descriptor: CInt { socket.descriptor.rawValue }

    /// Hands each event packet that has come to `body`, from its event code.
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
