import Glibc
import HCI
import Posix
import Primitives

/// A transport over a stream of H4 packets: a socket, or one end of a socket pair.
package final class StreamTransport: Transport {
    private let source: ControllerSource
    private let stream: Descriptor
    /// The front holds bytes that are not yet a whole packet.
    private var buffer = [UInt8](repeating: 0, count: 128 << 10)
    private var filled = 0
    /// Whether a whole packet has come: then the peer speaks H4.
    private var hasSpoken = false

    /// The most bytes of one `drain`: a peer that never pauses must not hold the loop.
    private static let longestDrain = 8 << 20

    /// The most addresses of a name that are tried: each may delay the radio's loop for two seconds.
    private static let mostTried = 4

    package let descriptors: [CInt]
    package let isExclusive = true
    package let drops = 0

    /// Connects to a controller.
    ///
    /// - Parameter lookup: resolves its name; the same one for each attempt.
    package convenience init(
        connectingTo address: Sockets.Address, lookup: HostLookup = HostLookup()
    ) throws(RadioFailure) {
        let stream: Descriptor?
        do throws(Errno) {
            switch address {
            case .unix: stream = try Sockets.connect(to: address)
            case .tcp(let host, let port):
                if let addresses = try lookup.addresses(of: host, port: port) {
                    stream = try Sockets.connect(toAnyOf: Array(addresses.prefix(Self.mostTried)))
                } else {
                    stream = nil
                }
            }
        } catch {
            throw RadioFailure.system(error, .h4(address))
        }
        guard let stream else { throw RadioFailure.unresolved(address) }
        self.init(stream, source: .h4(address))
    }

    /// Takes over an open stream, which must be non-blocking.
    package init(_ stream: consuming Descriptor, source: ControllerSource) {
        descriptors = [stream.rawValue]
        self.stream = stream
        self.source = source
    }

    package func send(_ command: HCICommand) throws(RadioFailure) {
        do throws(Errno) { try stream.writeAll(command.packet) } catch {
            throw RadioFailure.system(error, source)
        }
    }

    package func receive(_ body: PacketHandler) throws(RadioFailure) -> Bool {
        let room = buffer.count - filled
        return try read(body) < room
    }

    package func drain(_ body: PacketHandler) throws(RadioFailure) -> Bool {
        var left = Self.longestDrain
        while left > 0 {
            let count = try read(body)
            guard count > 0 else { return true }
            left -= count
        }
        return false
    }

    /// Reads once, and returns the number of bytes.
    private func read(_ body: PacketHandler) throws(RadioFailure) -> Int {
        let number = stream.rawValue
        let result = buffer.withUnsafeMutableBytes {
            Descriptor.read(number, into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
        }
        let count: Int
        switch result {
        case .success(nil): return 0
        case .success(0): throw RadioFailure.system(.connectionReset, source)
        case .success(let some?): count = some
        case .failure(let error): throw RadioFailure.system(error, source)
        }
        filled += count
        let whole = buffer.withUnsafeBufferPointer { bytes in
            lend(UnsafeBufferPointer(rebasing: bytes[..<filled])) { Self.split($0, body) }
        }
        guard let used = whole else {
            throw RadioFailure(
                .outOfStep, source,
                hasSpoken
                    ? "the stream has lost bytes: check the line and its flow control"
                    : "the peer does not send HCI over H4: correct the address")
        }
        hasSpoken = hasSpoken || used > 0
        // The largest packet needs half the buffer, so that the rest of one always fits.
        filled -= used
        let rest = filled
        buffer.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            memmove(start, start + used, rest)
        }
        return count
    }

    /// Hands out the whole packets, and returns their size in bytes; `nil` if the stream has lost its framing.
    private static func split(_ bytes: Bytes, _ body: PacketHandler) -> Int? {
        var offset = 0
        do throws(H4.OutOfStep) {
            while let packet = try H4.packet(in: bytes, at: offset) {
                if packet.type == .event { body(.event, bytes.extracting(packet.body), nil) }
                offset = packet.body.upperBound
            }
        } catch {
            return nil
        }
        return offset
    }
}
