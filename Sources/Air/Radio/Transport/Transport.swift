import HCI
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
