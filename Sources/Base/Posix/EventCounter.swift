import CLinux
import Glibc

/// A descriptor that one thread signals to wake another (eventfd(2)).
package struct EventCounter: ~Copyable, Sendable {
    package let descriptor: Descriptor

    package init() throws(Errno) {
        descriptor = try Descriptor(from: { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) })
    }

    /// Makes the descriptor readable; can't fail but by overflow, which is as good.
    package func signal() { _ = eventfd_write(descriptor.rawValue, 1) }

    /// Makes it unreadable again.
    package func clear() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor.rawValue, &count)
    }
}
