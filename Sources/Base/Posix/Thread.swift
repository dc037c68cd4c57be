import CLinux
import Glibc

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
