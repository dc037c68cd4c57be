import HCI
import Primitives

/// A way to a controller: commands go in, events come out.
///
/// The seam between the controller's state machine and the kernel, a socket, or a test.
package protocol Transport: AnyObject {
    /// To wait on: readable when `receive` has something to do.
    var descriptors: [CInt] { get }

    /// Whether nobody else drives this controller: only then may it be reset.
    var isExclusive: Bool { get }

    /// Packets that were lost on this side of the controller, since the transport was opened.
    var drops: Int { get }

    func send(_ command: Command) throws(RadioFailure)

    /// Hands each event packet that has come to `body`, from its event code, without waiting for more.
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
