import Posix
import Primitives

/// The radio thread's waiting.
extension Daemon {
    /// What it was woken by, besides what radio and uplink know themselves.
    struct Wake {
        let isSignalled: Bool
        let isClockSet: Bool
    }

    /// Somebody looks at the clock once in so long, in microseconds.
    private static let longestWait: Int64 = 60_000_000

    /// Where reports have come, more are left to gather for so long, in microseconds: a radio that hears 2,000 a second wakes
    /// the agent 250 times, which costs less than half. A report's time is late by as much at most.
    private static let gathering: Int64 = 4_000

    /// Waits for the radio and everything else, until something comes or is due.
    ///
    /// - Parameter isBusy: whether the radio has just been heard, and can wait.
    static func wait(
        until due: Instant?, _ signals: Signals, _ clock: ClockSteps?, _ sink: Sink,
        _ supervisor: RadioSupervisor, isBusy: Bool
    ) throws(Exit) -> Wake {
        var others = [signals.descriptor.rawValue]
        if let clock { others.append(clock.descriptor.rawValue) }
        others += sink.descriptors
        if isBusy {
            // Rounded down: what has come before a window ends is in that window.
            let left = due.map { $0.microseconds(since: now) } ?? gathering
            _ = try poll(others, milliseconds: Int(min(left, gathering)) / 1000)
        }
        let left = due.map { $0.microseconds(since: now) } ?? longestWait
        // Rounded up: waking before the deadline would mean waking twice.
        let ready = try poll(
            others + supervisor.descriptors, milliseconds: Int(min(left, longestWait) + 999) / 1000)
        return Wake(
            isSignalled: !ready[0].isEmpty,
            isClockSet: clock.map { !ready[1].isEmpty && $0.take() } ?? false)
    }

    private static func poll(
        _ descriptors: [CInt], milliseconds: Int
    ) throws(Exit) -> [Poll.Events] {
        do throws(Errno) {
            return try Poll.wait(
                for: descriptors.map { Poll.Interest($0) }, timeout: max(0, milliseconds))
        } catch {
            throw complain(["can't wait: \(error)"], .failed)
        }
    }
}
