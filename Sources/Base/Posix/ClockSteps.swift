import CLinux
import Glibc

/// A descriptor that becomes readable when a program sets the wall clock (timerfd_create(2),
/// TFD_TIMER_CANCEL_ON_SET).
package final class ClockSteps {
    package let descriptor: Descriptor

    package init() throws(Errno) {
        descriptor = try Descriptor(from: {
            timerfd_create(CLOCK_REALTIME, CInt(TFD_CLOEXEC | TFD_NONBLOCK))
        })
        try arm()
    }

    /// Whether the clock was set since this was last asked; several times count as one.
    package func take() -> Bool {
        var expirations: UInt64 = 0
        let number = descriptor.rawValue
        let result = withUnsafeMutableBytes(of: &expirations) {
            Descriptor.read(number, into: $0)
        }
        guard case .failure = result else { return false }
        // Armed before the caller reads the clock: a step after that reading wakes the caller
        // again.
        try? arm()
        return true
    }

    /// For a moment that never comes: only being cancelled is of interest.
    private func arm() throws(Errno) {
        var time = itimerspec()
        time.it_value.tv_sec = Int.max
        let flags = CInt(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
        let number = descriptor.rawValue
        let never = time
        _ = try retryingInterrupts {
            withUnsafePointer(to: never) { timerfd_settime(number, flags, $0, nil) }
        }
    }
}
