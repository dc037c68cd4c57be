import CLinux
import Glibc
import Primitives

/// The kernel's clocks (clock_gettime(2)), in microseconds.
package enum Clocks {
    /// Since boot, sleep included; never steps. All order and all waiting go by it.
    package static var boot: Int64 { read(CLOCK_BOOTTIME) }
    /// Since the Unix epoch, UTC, as the machine believes it; may step. A label, no more.
    package static var wall: Int64 { read(CLOCK_REALTIME) }
    /// Since boot, sleep not included: the clock that systemd goes by.
    package static var monotonic: Int64 { read(CLOCK_MONOTONIC) }
    /// How long the machine has slept since its boot.
    package static var sleep: Duration { .microseconds(boot - monotonic) }
    /// Processor time of this process.
    package static var processor: Int64 { read(CLOCK_PROCESS_CPUTIME_ID) }
    /// Processor time of the children that have ended (getrusage(2)).
    package static var processorOfChildren: Int64 {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Int64($1.tv_sec) * 1_000_000 + Int64($1.tv_usec)
        }
    }

    /// What the boot clock lacks to the wall clock, read as one as nearly as can be.
    package static var wallMinusBoot: Int64 {
        // The narrowest of a few sandwiched readings is the one that nothing interrupted.
        var best: (width: Int64, offset: Int64) = (.max, 0)
        for _ in 0..<5 {
            let before = boot
            let wall = wall
            let after = boot
            if after - before < best.width { best = (after - before, wall - (before + after) / 2) }
        }
        return best.offset
    }

    /// Whether a time service disciplines the wall clock: the kernel's maximum error is below 16 s.
    /// This is systemd's own test (adjtimex(2)).
    package static var isWallClockSynchronised: Bool {
        wallClockError.map { $0 < toleratedWallClockError } ?? false
    }

    /// The kernel's maximum error of the wall clock, in microseconds; `nil` when adjtimex(2) fails.
    ///
    /// It grows to 16 s when no time service disciplines the clock.
    package static var wallClockError: Int64? {
        var state = timex()
        return adjtimex(&state) == -1 ? nil : Int64(state.maxerror)
    }

    /// The maximum error of a clock without discipline, in microseconds.
    package static let toleratedWallClockError: Int64 = 16_000_000

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

extension Instant {
    /// The kernel's boot clock now (CLOCK_BOOTTIME). It includes suspend and never steps.
    package static var now: Instant { Instant(microseconds: Clocks.boot) }
}
