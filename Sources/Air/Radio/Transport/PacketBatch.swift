import CBlueZ
import Posix
import Primitives

/// Memory for the packets of one `HCISocket.receive`.
final class PacketBatch {
    struct Packet {
        /// With the H4 type byte first. Valid until the next read into the batch.
        let bytes: UnsafeBufferPointer<UInt8>
        /// When the kernel received the packet, on the wall clock, if it tells.
        let arrival: Instant?
    }

    /// The most packets of one read.
    static let capacity = Int(sightline_most_packets)

    private let memory: UnsafeMutableRawPointer
    private var count = 0

    init() {
        memory = .allocate(byteCount: sightline_packets_size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: sightline_packets_size)
        sightline_packets_prepare(memory)
    }

    deinit { memory.deallocate() }

    /// Replaces the packets by those of a socket; none if its queue is empty.
    ///
    /// - Returns: whether the batch is full: more packets may follow.
    func fill(from socket: CInt) throws(Errno) -> Bool {
        count = 0
        do throws(Errno) {
            count = Int(try retryingInterrupts { sightline_receive(socket, memory) })
        } catch {
            guard error == .wouldBlock else { throw error }
        }
        return count == Self.capacity
    }

    func forEach(_ body: (Packet) -> Void) {
        for index in 0..<count {
            var (size, arrival): (Int, Int64) = (0, -1)
            let start = sightline_packet(memory, CInt(index), &size, &arrival)
            let bytes = UnsafeRawBufferPointer(start: start, count: size)
            body(
                Packet(
                    bytes: bytes.bindMemory(to: UInt8.self),
                    arrival: arrival < 0 ? nil : Instant(microseconds: arrival)))
        }
    }
}
