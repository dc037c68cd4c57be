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

extension Daemon.Run {
    /// Refuses a capture that could end the connection of the running agent.
    ///
    /// A broker that takes the client identifier from the certificate or the user name sees one client in both.
    ///
    /// - Throws: another agent holds the lock. The error is already written.
    func checkForAgent() throws(Daemon.Exit) {
        let brokers = [configuration.broker].compactMap(\.self) + configuration.alternatives
        guard
            brokers.contains(where: { $0.username != nil || $0.tls?.certFile != nil }),
            let folder = stateDirectory, let process = FolderLock.holder(of: folder)
        else { return }
        throw Daemon.report(
            [
                "\(folder) is in use by process \(process): the broker may disconnect that agent for a capture with"
                    + " the same credentials; give the capture other ones, or use --output -"
            ], .failed)
    }

    /// Locks the state directories: two agents must not share an outbox or layers.
    ///
    /// A directory that can't be created or locked does not stop the agent. It then works in memory.
    ///
    /// - Throws: another agent holds the lock. The error is already written.
    func locks() throws(Daemon.Exit) -> [FolderLock] {
        var locks: [FolderLock] = []
        var logged: Set<String> = []
        let folders = [stateDirectory, outboxPath.map(File.folder(of:))].compactMap(\.self)
        for folder in folders where !locks.contains(where: { $0.covers(folder) }) {
            // If this fails, the lock fails too and reports the cause.
            if !File.exists(folder) { try? File.makeFolders(folder) }
            do throws(FolderLock.Failure) {
                locks.append(try FolderLock(folder))
                let file = outboxPath.flatMap { File.failure(ofWriting: $0) }
                if let reason = File.failure(ofWritingIn: folder) ?? file {
                    throw .unusable(reason)
                }
            } catch {
                switch error {
                case .taken(let process):
                    let holder = process.map { "process \($0)" } ?? "another process"
                    throw Daemon.report(
                        ["\(folder) is in use by \(holder): two agents can't share it"], .failed)
                case .unusable(let reason):
                    // Logged at the start: while the broker answers, the agent writes nothing to the disk.
                    guard logged.insert(folder).inserted else { continue }
                    log.warning(
                        "state directory not usable: unsent batches are lost on exit",
                        ["folder": folder, "reason": reason])
                }
            }
        }
        return locks
    }
}
