import CBlueZ
import HCI
import Posix
import Primitives

/// Receives a packet without its type byte, and its arrival on the wall clock if the kernel tells.
package typealias PacketHandler =
    (_ type: H4.PacketType, _ packet: Bytes, _ arrival: Instant?) -> Void

/// A connection to a controller through the kernel, a socket, or a test.
package protocol Transport: AnyObject {
    /// The descriptors that become readable when `receive` has input.
    var descriptors: [CInt] { get }

    /// Those of them that no report makes readable.
    var dialogueDescriptors: [CInt] { get }

    /// Whether no other program uses this controller. Only then may the gateway reset it.
    var isExclusive: Bool { get }

    /// The number of packets that this host has dropped since the transport was opened.
    var drops: Int { get }

    /// Whether each packet comes with its arrival.
    var stampsArrivals: Bool { get }

    func send(_ command: HCICommand) throws(RadioFailure)

    /// Hands out the controller's events, and the commands that other programs send it. Does not wait for input.
    ///
    /// - Returns: whether no input is left.
    func receive(_ body: PacketHandler) throws(RadioFailure) -> Bool

    /// Reads everything that is queued, reports first. Does not wait for input.
    ///
    /// - Returns: whether no input is left.
    func drain(_ body: PacketHandler) throws(RadioFailure) -> Bool
}

extension Transport {
    package var dialogueDescriptors: [CInt] { [] }

    package var stampsArrivals: Bool { false }

    package func drain(_ body: PacketHandler) throws(RadioFailure) -> Bool { try receive(body) }
}

/// Lends a buffer's bytes to a parser.
func lend<Result, Failure: Error>(
    _ buffer: UnsafeBufferPointer<UInt8>, _ body: (Bytes) throws(Failure) -> Result
) throws(Failure) -> Result {
    #if compiler(>=6.2)
        try body(buffer.span)
    #else
        try body(buffer)
    #endif
}

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
