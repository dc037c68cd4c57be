import HCI
import Primitives

/// A connection to a controller through the kernel, a socket, or a test.
package protocol Transport: AnyObject {
    /// The descriptors that become readable when `receive` has input.
    var descriptors: [CInt] { get }

    /// Whether no other program uses this controller. Only then may the gateway reset it.
    var isExclusive: Bool { get }

    /// The number of packets that this host has dropped since the transport was opened.
    var drops: Int { get }

    func send(_ command: Command) throws(RadioFailure)

    /// Hands each packet to `body`, without its type byte: the controller's events, and the commands that other programs
    /// send it. Does not wait for input.
    ///
    /// - Returns: whether no input is left.
    func receive(_ body: (H4.PacketType, Bytes) -> Void) throws(RadioFailure) -> Bool

    /// Whether `drain` has the arrival of each packet.
    var stampsArrivals: Bool { get }

    /// Reads everything that is queued, reports first. Does not wait for input.
    ///
    /// - Parameter body: receives each packet as in `receive`, and its arrival in microseconds of the wall clock.
    /// - Returns: whether no input is left.
    func drain(
        _ body: (_ type: H4.PacketType, _ packet: Bytes, _ arrival: Int64?) -> Void
    ) throws(RadioFailure) -> Bool
}

extension Transport {
    package var stampsArrivals: Bool { false }

    package func drain(
        _ body: (H4.PacketType, Bytes, Int64?) -> Void
    ) throws(RadioFailure) -> Bool {
        try receive { body($0, $1, nil) }
    }
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
