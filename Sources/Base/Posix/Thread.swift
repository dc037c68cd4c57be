import CLinux
import Glibc
import Primitives

/// A thread to be joined (pthreads(7)).
package struct Thread: ~Copyable {
    private let handle: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts `body`; `name` is cut to the kernel's 15 bytes.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        var handle = pthread_t()
        let context = Unmanaged.passRetained(Body(body))
        let result = pthread_create(
            &handle, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw Errno(rawValue: result)
        }
        sightline_set_thread_name(handle, String(name.prefix(15)))
        self.handle = handle
    }

    /// Lets it go on by itself, to end with the process at the latest.
    package consuming func detach() { pthread_detach(handle) }

    /// Waits for its end.
    package consuming func join() { pthread_join(handle, nil) }
}

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
