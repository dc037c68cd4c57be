import Testing

@testable import Radio

/// The agent takes an adapter over while the kernel switches it off, in every order.
@Suite struct AdapterNoticesTests {
    /// What the kernel does for a caller until it may serve the other one (Linux 6.1, hci_core.c, hci_sync.c, hci_sock.c).
    private enum Step {
        /// HCIDEVDOWN: refused if the user channel is bound. Then it waits.
        case checkUser
        /// The end of the grace in which an adapter that nobody uses stays up after its setup.
        case endGrace
        case lockAndClearUp
        case notifyDownAndUnlock
        /// The bind to the user channel: refused if the adapter is up, except in the grace.
        case bind
        /// The second half of the bind: waits for the lock, and brings the adapter up if it is down.
        case open
        /// The agent reads its queue of notices.
        case read
        /// The agent reads whether the adapter is up.
        case finishOpening
    }

    private enum Result {
        case done
        case blocked
        case refused
    }

    private struct Machine {
        var isUp: Bool
        var isInGrace: Bool
        var isLocked = false
        var isTaken = false
        var queue: [HCISocket.Notice] = []
        var notices = AdapterNotices()

        mutating func take(_ step: Step) -> Result {
            switch step {
            case .checkUser: return isTaken ? .refused : .done
            case .endGrace: isInGrace = false
            case .lockAndClearUp:
                isLocked = isUp
                guard isUp else { return .refused }
                isUp = false
            case .notifyDownAndUnlock:
                queue.append(.down)
                isLocked = false
            case .bind:
                guard !isUp || isInGrace else { return .refused }
                isTaken = true
            case .open:
                guard !isLocked else { return .blocked }
                isUp = true
                isInGrace = false
            case .read:
                queue.forEach { notices.on($0) }
                queue = []
            case .finishOpening: notices.bound(isUp: isUp)
            }
            return .done
        }
    }

    private static let agent: [Step] = [.bind, .open, .read, .finishOpening, .read]
    private static let down: [Step] = [
        .checkUser, .endGrace, .lockAndClearUp, .notifyDownAndUnlock,
    ]
    private static let powerOff = Array(down.dropFirst(2))

    /// The machines at the end of all orders in which the agent has bound its socket.
    private func ends(
        _ machine: Machine, _ agent: ArraySlice<Step>, _ other: ArraySlice<Step>
    ) -> [Machine] {
        guard !agent.isEmpty || !other.isEmpty else { return machine.isTaken ? [machine] : [] }
        var ends: [Machine] = []
        for isAgent in [true, false] {
            var (machine, steps) = (machine, isAgent ? agent : other)
            guard let step = steps.popFirst() else { continue }
            switch machine.take(step) {
            case .done: break
            case .blocked: continue
            case .refused: steps = []
            }
            ends += isAgent ? self.ends(machine, steps, other) : self.ends(machine, agent, steps)
        }
        return ends
    }

    @Test(
        "an adapter that is switched off during or after its opening is noticed, and no other",
        arguments: [down, powerOff], [(true, true), (false, false)])
    private func interleavings(other: [Step], start: (isUp: Bool, isInGrace: Bool)) {
        let machine = Machine(isUp: start.isUp, isInGrace: start.isInGrace)
        let ends = ends(machine, Self.agent[...], other[...]).map { machine in
            var machine = machine
            _ = machine.take(.read)
            return machine
        }
        #expect(ends.contains { $0.isUp })
        #expect(ends.contains { !$0.isUp })
        let wrong = ends.count { ($0.notices.end == nil) != $0.isUp }
        #expect(
            wrong == 0,
            "in \(wrong) of \(ends.count) orders, the notices contradict the adapter's power")
    }

    @Test("a notice about a time before the opening is no fault")
    func earlier() {
        var notices = AdapterNotices()
        notices.on(.down)
        notices.bound(isUp: true)
        #expect(notices.end == nil)
    }

    @Test("the first notice after the opening counts")
    func removed() {
        var notices = AdapterNotices()
        notices.bound(isUp: true)
        notices.on(.removed)
        notices.on(.down)
        #expect(notices.end == .removed)
    }
}
