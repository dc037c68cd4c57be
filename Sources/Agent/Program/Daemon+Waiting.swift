import Posix
import Primitives

/// The waits of the radio thread.
extension Daemon {
    /// Why the wait ended, other than for the radio.
    struct WaitResult {
        let isSignalled: Bool
        let isClockSet: Bool
        let isUplinkReady: Bool
    }

    /// The longest wait, in microseconds: the loop then checks the clock.
    private static let longestWait: Int64 = 60_000_000

    /// After a report the loop leaves the radio alone for this time, in microseconds. A radio with 2,000 reports a second
    /// then wakes the agent 250 times, at less than half the cost. A report's time is late by this much at most.
    private static let gathering: Int64 = 4_000

    /// Waits for the radio, the uplink, signals and the clock, until the deadline.
    ///
    /// - Parameter isBusy: whether the radio has just delivered reports and can wait.
    static func wait(
        until due: Instant?, _ signals: Signals, _ clock: ClockSteps?, _ sink: Sink,
        _ supervisor: RadioSupervisor, isBusy: Bool
    ) throws(Exit) -> WaitResult {
        let others = [
            Poll.Interest(signals.descriptor.rawValue),
            clock.map { Poll.Interest($0.descriptor.rawValue) }, sink.interest,
        ].compactMap(\.self)
        if isBusy {
            // Rounded down: a report that arrives before the end of a window belongs to it.
            let left = due.map { $0.microseconds(since: now) } ?? gathering
            _ = try poll(others, milliseconds: Int(min(left, gathering)) / 1000)
        }
        let left = due.map { $0.microseconds(since: now) } ?? longestWait
        // Rounded up: a wait that ends before its deadline would be repeated.
        let ready = try poll(
            others + supervisor.descriptors.map { Poll.Interest($0) },
            milliseconds: Int(min(left, longestWait) + 999) / 1000)
        return WaitResult(
            isSignalled: !ready[0].isEmpty,
            isClockSet: clock.map { !ready[1].isEmpty && $0.take() } ?? false,
            isUplinkReady: sink.interest != nil && !ready[others.count - 1].isEmpty)
    }

    private static func poll(
        _ interests: [Poll.Interest], milliseconds: Int
    ) throws(Exit) -> [Poll.Events] {
        do throws(Errno) {
            return try Poll.wait(for: interests, timeout: max(0, milliseconds))
        } catch {
            throw report(["can't wait: \(error)"], .failed)
        }
    }
}
