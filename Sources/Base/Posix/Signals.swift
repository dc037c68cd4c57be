import CLinux
import Glibc

/// Signals as something to read (signalfd(2)).
package final class Signals {
    package let descriptor: Descriptor
    private let numbers: [CInt]

    /// Blocks `numbers` in this thread and in those that it starts from now on, and collects them here.
    ///
    /// SIGPIPE is ignored for the whole process: a peer that is gone is an error of the write.
    package init(_ numbers: [CInt]) throws(Errno) {
        self.numbers = numbers
        var set = Self.set(numbers)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        let waiting = set
        descriptor = try Descriptor(from: {
            withUnsafePointer(to: waiting) { signalfd(-1, $0, CInt(SFD_CLOEXEC | SFD_NONBLOCK)) }
        })
    }

    /// Lets the signals through again: one that has come, and was not taken with `next`, has its usual effect.
    package func release() {
        var set = Self.set(numbers)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Gives one of the signals its usual effect, such as a stop; returns after that.
    package func deliver(_ number: CInt) {
        var set = Self.set([number])
        raise(number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private static func set(_ numbers: [CInt]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }

    /// The next signal that has come; `nil` when there is none.
    package func next() -> CInt? {
        var information = signalfd_siginfo()
        let number = descriptor.rawValue
        let count = withUnsafeMutableBytes(of: &information) {
            read(number, $0.baseAddress, $0.count)
        }
        guard count == MemoryLayout<signalfd_siginfo>.size else { return nil }
        return CInt(bitPattern: information.ssi_signo)
    }
}
