import Posix
import Primitives

/// The waits of the radio process.
extension Daemon {
    /// Why the wait ended, other than for the radio.
    struct WaitResult {
        let isSignalled: Bool
        let isClockSet: Bool
        let isUplinkReady: Bool

        /// Whether there was a cause other than the radio or the deadline.
        var isOther: Bool { isSignalled || isClockSet || isUplinkReady }
    }

    /// The longest wait: the loop then checks the clock.
    private static let longestWaitMilliseconds: Int64 = 60_000

    /// Waits for the radio, the uplink, signals and the clock, until the deadline.
    ///
    /// - Parameters:
    ///   - polls: keeps its memory from one wait to the next.
    ///   - gathering: until when no report wakes the loop; see `ReportPace`.
    static func wait(
        until due: Instant?, _ polls: inout PollSet, _ signals: Signals, _ clock: ClockSteps?,
        _ destination: any Destination, _ supervisor: RadioSupervisor, gathering: Instant?
    ) throws(Exit) -> WaitResult {
        polls.removeAll()
        polls.insert(signals.descriptor.rawValue)
        if let clock { polls.insert(clock.descriptor.rawValue) }
        let peerIndex = polls.count
        if let interest = destination.interest {
            polls.insert(interest.descriptor, interest.events)
        }
        let radioIndex = polls.count
        let now = now
        let latest = now.advanced(byMilliseconds: longestWaitMilliseconds)
        let end = min(due ?? latest, latest)
        // Rounded down: a report that arrives before the end of a window belongs to it.
        let gathered = min(end, gathering ?? now).microseconds(since: now) / 1000
        do throws(Errno) {
            if gathered > 0 {
                for descriptor in supervisor.dialogueDescriptors { polls.insert(descriptor) }
                try polls.wait(milliseconds: Int(gathered))
            } else {
                for descriptor in supervisor.descriptors { polls.insert(descriptor) }
                // Rounded up: a wait that ends before its deadline would be repeated.
                try polls.wait(milliseconds: Int((end.microseconds(since: now) + 999) / 1000))
            }
        } catch {
            throw report(["can't wait: \(error)"], .failed)
        }
        return WaitResult(
            isSignalled: !polls[0].isEmpty,
            isClockSet: clock.map { !polls[1].isEmpty && $0.take() } ?? false,
            isUplinkReady: (peerIndex..<radioIndex).contains { !polls[$0].isEmpty })
    }
}
