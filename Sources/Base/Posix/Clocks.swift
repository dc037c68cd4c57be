import CLinux
import Glibc
import Primitives

/// The kernel's clocks (clock_gettime(2)). `Instant.now` reads the boot clock.
package enum Clocks {
    /// Since the Unix epoch, UTC, as the machine believes it; may step. A label, no more.
    package static var wall: Instant { read(CLOCK_REALTIME) }
    /// Since boot, sleep not included: the clock that systemd goes by.
    package static var monotonic: Instant { read(CLOCK_MONOTONIC) }
    /// How long the machine has slept since its boot.
    package static var sleep: Duration { Instant.now - monotonic }
    /// Processor time of this process.
    package static var processor: Duration {
        read(CLOCK_PROCESS_CPUTIME_ID) - Instant(microseconds: 0)
    }
    /// Processor time of the children that have ended (getrusage(2)).
    package static var processorOfChildren: Duration {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(.zero) {
            $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec)
        }
    }

    /// What the boot clock lacks to the wall clock, read as one as nearly as can be.
    package static var wallMinusBoot: Duration {
        // The narrowest of a few sandwiched readings is the one that nothing interrupted.
        var best: (width: Duration, offset: Duration) = (.seconds(Int64.max), .zero)
        for _ in 0..<5 {
            let before = Instant.now
            let wall = wall
            let width = Instant.now - before
            if width < best.width { best = (width, wall - before - width / 2) }
        }
        return best.offset
    }

    /// Whether a time service disciplines the wall clock: the kernel's maximum error is below 16 s.
    /// This is systemd's own test (adjtimex(2)).
    package static var isWallClockSynchronised: Bool {
        wallClockError.map { $0 < toleratedWallClockError } ?? false
    }

    /// The kernel's maximum error of the wall clock; `nil` when adjtimex(2) fails.
    ///
    /// It grows to 16 s when no time service disciplines the clock.
    package static var wallClockError: Duration? {
        var state = timex()
        return adjtimex(&state) == -1 ? nil : .microseconds(state.maxerror)
    }

    /// The maximum error of a clock without discipline.
    package static let toleratedWallClockError: Duration = .seconds(16)

    fileprivate static func read(_ clock: clockid_t) -> Instant {
        var time = timespec()
        clock_gettime(clock, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}

extension Instant {
    /// The kernel's boot clock now (CLOCK_BOOTTIME). It includes suspend and never steps.
    package static var now: Instant { Clocks.read(CLOCK_BOOTTIME) }
}

extension UnixTime {
    /// The machine's wall clock now (CLOCK_REALTIME).
    package static var now: UnixTime { UnixTime(Clocks.wall) }
}

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

/// The machine's boot, which the boot clock belongs to.
package enum Boot {
    /// A UUID of the kernel's, another one at each boot (random(4)); `nil` where there is no /proc.
    package static var id: String? {
        guard let bytes = try? File.contents(of: "/proc/sys/kernel/random/boot_id", maxBytes: 64)
        else { return nil }
        let text = String(decoding: bytes.prefix { $0 > 0x20 && $0 < 0x7f }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}
