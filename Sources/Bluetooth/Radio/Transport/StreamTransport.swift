import Glibc
import HCI
import Posix
import Primitives

/// A controller at the other end of a stream of H4 packets: a socket, or one end of a pair.
package final class StreamTransport: Transport {
    private let source: ControllerSource
    private let stream: Descriptor
    /// What has come and is not yet a whole packet stands at the front.
    private var buffer = [UInt8](repeating: 0, count: 128 << 10)
    private var filled = 0

    package let isExclusive = true
    package let drops = 0

    package convenience init(connectingTo address: Sockets.Address) throws(RadioFailure) {
        let stream: Descriptor
        do throws(Errno) { stream = try Sockets.connect(to: address) } catch {
            throw RadioFailure.system(error, .h4(address))
        }
        self.init(stream, source: .h4(address))
    }

    /// Takes over one end of a stream that is open already; it must be non-blocking.
    package init(_ stream: consuming Descriptor, source: ControllerSource) {
        self.stream = stream
        self.source = source
    }

    package var descriptors: [CInt] { [stream.rawValue] }

    package func send(_ command: Command) throws(RadioFailure) {
        do throws(Errno) { try stream.writeAll(command.packet) } catch {
            throw RadioFailure.system(error, source)
        }
    }

    package func receive(_ body: (Bytes) -> Void) throws(RadioFailure) {
        let number = stream.rawValue
        let read = buffer.withUnsafeMutableBytes {
            Descriptor.read(number, into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
        }
        switch read {
        case .success(nil): return
        case .success(0): throw RadioFailure.system(.connectionReset, source)
        case .success(let count): filled += count ?? 0
        case .failure(let error): throw RadioFailure.system(error, source)
        }
        let result = buffer.withUnsafeBufferPointer { bytes in
            lend(UnsafeBufferPointer(rebasing: bytes[..<filled])) { Self.split($0, body) }
        }
        guard let used = result else {
            throw RadioFailure(
                .outOfStep, source, "what comes from there is not HCI over H4: correct the address")
        }
        // The largest packet is half the buffer, so there is always room for the rest of one.
        filled -= used
        let rest = filled
        buffer.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            memmove(start, start + used, rest)
        }
    }

    /// Hands out the whole packets; returns how many bytes they took, `nil` if the stream is out of step.
    private static func split(_ bytes: Bytes, _ body: (Bytes) -> Void) -> Int? {
        var offset = 0
        do throws(H4.OutOfStep) {
            while let packet = try H4.packet(in: bytes, at: offset) {
                if packet.type == .event { body(bytes.extracting(packet.body)) }
                offset = packet.body.upperBound
            }
        } catch {
            return nil
        }
        return offset
    }
}
