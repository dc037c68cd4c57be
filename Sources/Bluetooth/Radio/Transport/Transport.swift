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

    /// Hands each event packet to `body`, from its event code on. Does not wait for input.
    func receive(_ body: (Bytes) -> Void) throws(RadioFailure)
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
