import Primitives

/// A call that may block for long, on a thread of its own. The thread ends with the result.
package final class BlockingCall<Value: Sendable>: Sendable {
    private let results: Mailbox<Value>

    package init(
        thread name: String, _ call: @escaping @Sendable () -> Value
    ) throws(Errno) {
        let results = try Mailbox<Value>(capacity: 1)
        self.results = results
        let thread = try Thread(name: name) { results.post(call()) }
        thread.detach()
    }

    /// Readable once there is a result.
    package var descriptor: CInt { results.descriptor }

    /// The result, returned once; `nil` during the call.
    package func takeResult() -> Value? { results.take().first }

    /// Waits for the result; `nil` if the limit or a signal ends the wait.
    package func result(within limit: Duration) throws(Errno) -> Value? {
        _ = try Poll.wait(for: [Poll.Interest(descriptor)], timeout: Int(limit.milliseconds))
        return takeResult()
    }
}
