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
