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
    private static let longestWait: Duration = .seconds(60)

    /// Waits for the radio, the uplink, signals and the clock, until the deadline.
    ///
    /// - Parameters:
    ///   - polls: keeps its memory from one wait to the next.
    ///   - gathering: how long no report wakes the loop; see `ReportPace`.
    static func wait(
        until due: Instant?, _ polls: inout PollSet, _ signals: Signals, _ clock: ClockSteps?,
        _ destination: any Destination, _ supervisor: RadioSupervisor, gathering: Duration?
    ) throws(Exit) -> WaitResult {
        polls.removeAll()
        polls.insert(signals.descriptor.rawValue)
        if let clock { polls.insert(clock.descriptor.rawValue) }
        let peerIndex = polls.count
        if let interest = destination.interest {
            polls.insert(interest.descriptor, interest.events)
        }
        let radioIndex = polls.count
        let left = min(due.map { $0 - now } ?? longestWait, longestWait)
        // Rounded down: a report that arrives before the end of a window belongs to it.
        let gathered = min(left, gathering ?? .zero).milliseconds
        do throws(Errno) {
            if gathered > 0 {
                for descriptor in supervisor.dialogueDescriptors { polls.insert(descriptor) }
                try polls.wait(milliseconds: Int(gathered))
            } else {
                for descriptor in supervisor.descriptors { polls.insert(descriptor) }
                // Rounded up: a wait that ends before its deadline would be repeated.
                try polls.wait(milliseconds: Int((left + .microseconds(999)).milliseconds))
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
