import HCI
import Primitives

/// Brings the controller's advertising to the desired state, one command after the other.
///
/// A request takes effect completely or not at all: if the controller refuses a command, the former advertising is
/// restored. The value owns no transport: its owner sends the `next` command when it is free, and hands back the answer.
struct Advertiser {
    private struct CommandSequence {
        enum Purpose {
            case request
            /// Restores the advertising from before a refused request.
            case rollback(AdvertisingRefusal)
            /// Restores the advertising in force without a request.
            case restore
        }

        let purpose: Purpose
        /// The advertising after the last step; `nil` for none.
        let target: Advertising?
        var steps: [AdvertisingStep]
    }

    private var capabilities: Capabilities?
    private var held = HeldAdvertising()
    /// The latest request that succeeded. The first one is in force from the start and stays so after a refusal.
    private var inForce: DesiredAdvertising
    /// Whether that has succeeded since the radio was opened.
    private var isVerified = false
    /// The latest request, until it has a result.
    private var pending: DesiredAdvertising?
    private var sequence: CommandSequence?
    /// The unanswered step; it can belong to a sequence that a newer request has replaced.
    private var outstanding: AdvertisingStep?
    private var restore = RestoreSchedule()
    /// The state in the latest notice.
    private var reported = AdvertisingState()
    private var notices: [Controller.Notice] = []
    /// How often other programs have changed the gateway's advertising.
    private(set) var interferences = 0

    init(_ desired: DesiredAdvertising) {
        inForce = desired
        pending = desired
    }

    var state: AdvertisingState { held.state }

    /// Whether the controller may advertise on the gateway's behalf.
    var mayBeOn: Bool { held.mayBeOurs }

    /// When `plan` is due, even without events.
    var deadline: Instant? { isIdle ? restore.due : nil }

    /// The command to send now.
    var next: HCICommand? {
        guard outstanding == nil, let capabilities else { return nil }
        return sequence?.steps.first?.command(capabilities)
    }

    private var isIdle: Bool { sequence == nil && outstanding == nil }

    /// The notices since the last call.
    mutating func takeNotices() -> [Controller.Notice] {
        defer { notices = [] }
        return notices
    }

    /// Enables commands: the controller's capabilities are known.
    mutating func begin(_ capabilities: Capabilities) { self.capabilities = capabilities }

    /// Replaces an unfinished request. Its outstanding command keeps its answer.
    mutating func request(_ desired: DesiredAdvertising) {
        if pending == desired, case .request? = sequence?.purpose { return }
        pending = desired
        sequence = nil
        restore.cancel()
        if outstanding == nil, isReached(desired) { succeed(desired) }
    }

    /// Chooses the next sequence, if the advertiser is idle.
    ///
    /// - Parameter mayRestore: whether all events have been handled, so that interference is fully known.
    mutating func plan(at now: Instant, mayRestore: Bool) {
        guard let capabilities, isIdle else { return }
        if let due = restore.due {
            guard mayRestore, due <= now else { return }
            restore.begin(at: now)
        } else if pending == nil {
            return
        }
        let goal = pending ?? inForce
        guard !isReached(goal) else { return succeed(goal) }
        guard goal.advertising == nil || capabilities.canScanWhileAdvertising else {
            return refuse(.cannotScanWhileAdvertising, at: now)
        }
        sequence = CommandSequence(
            purpose: pending == nil ? .restore : .request, target: goal.advertising,
            steps: goal.advertising.map { HeldAdvertising.allSteps(to: $0, capabilities) }
                ?? [.disable])
    }

    /// The owner has sent the `next` command.
    mutating func sent() {
        outstanding = sequence?.steps.first
        if let outstanding { held.sent(outstanding) }
    }

    /// Handles the answer to the outstanding command.
    ///
    /// - Parameters:
    ///   - txPowerDbm: the power that the controller chose, in dBm.
    ///   - mayRetry: whether the other command family has not been stopped yet.
    /// - Returns: whether the owner must stop the other family before the next command.
    mutating func answered(
        _ status: HCIStatus, txPowerDbm: Int8?, mayRetry: Bool, at now: Instant
    ) -> Bool {
        guard let step = outstanding else { return false }
        outstanding = nil
        defer { reportChange() }
        var isRefused = false
        if status == .success {
            held.accepted(step, txPowerDbm: txPowerDbm)
        } else {
            isRefused = !held.refused(step, status)
        }
        guard var current = sequence else { return false }
        if isRefused, isRequired(step, for: current.target) {
            guard status == .commandDisallowed, step != .disable, mayRetry else {
                refused(step, status, in: current, at: now)
                return false
            }
            if let target = current.target, let capabilities {
                current.steps =
                    if case .rollback = current.purpose {
                        held.missingSteps(to: target, capabilities)
                    } else {
                        HeldAdvertising.allSteps(to: target, capabilities)
                    }
            }
            sequence = current
            return true
        }
        current.steps.removeFirst()
        sequence = current
        if current.steps.isEmpty { finished(current, at: now) }
        return false
    }

    /// Another program's command has succeeded.
    mutating func otherProgramSent(_ opcode: Opcode, at now: Instant) {
        guard let family = capabilities?.family, held.otherProgramSent(opcode, family) else {
            return
        }
        if (pending ?? inForce).advertising != nil, restore.due == nil {
            interferences += 1
            restore.schedule(at: now)
        }
        reportChange()
    }

    /// A command of the gateway for the other family may have stopped the advertising.
    mutating func mayHaveStopped(at now: Instant) {
        guard held.isEnabled == true else { return }
        held.forget()
        if restore.due == nil { restore.schedule(at: now) }
        reportChange()
    }
}

// MARK: - Results

extension Advertiser {
    /// Advertising that is off already need not be disabled before it is enabled.
    private func isRequired(_ step: AdvertisingStep, for target: Advertising?) -> Bool {
        step != .disable || held.isEnabled == true || target == nil
    }

    private mutating func refused(
        _ step: AdvertisingStep, _ status: HCIStatus, in current: CommandSequence, at now: Instant
    ) {
        guard let capabilities else { return }
        sequence = nil
        switch current.purpose {
        case .request:
            let refusal = step.refusal(status, capabilities)
            let target = isVerified ? inForce.advertising : nil
            let steps =
                target.map { held.missingSteps(to: $0, capabilities) }
                ?? (held.mayBeOurs ? [.disable] : [])
            guard !steps.isEmpty else { return refuse(refusal, at: now) }
            sequence = CommandSequence(purpose: .rollback(refusal), target: target, steps: steps)
        case .rollback(let refusal): refuse(refusal, at: now)
        case .restore: restore.postpone(at: now)
        }
    }

    private mutating func finished(_ current: CommandSequence, at now: Instant) {
        sequence = nil
        if case .rollback(let refusal) = current.purpose { return refuse(refusal, at: now) }
        let goal = pending ?? inForce
        if isReached(goal) {
            succeed(goal)
        } else {
            // Another program has interfered during the sequence.
            restore.schedule(at: now)
        }
    }

    private func isReached(_ desired: DesiredAdvertising) -> Bool {
        switch desired {
        case .untouched: !held.mayBeOurs
        case .off: held.isEnabled == false
        case .on(let advertising): held.isOnAir(advertising)
        }
    }

    private mutating func succeed(_ goal: DesiredAdvertising) {
        inForce = goal
        isVerified = true
        restore.cancel()
        finishRequest(.applied)
    }

    private mutating func refuse(_ refusal: AdvertisingRefusal, at now: Instant) {
        finishRequest(.refused(refusal))
        // A retry can't give a controller a capability that it lacks.
        if isReached(inForce) || refusal == .cannotScanWhileAdvertising {
            restore.cancel()
        } else {
            restore.postpone(at: now)
        }
    }

    private mutating func finishRequest(_ outcome: AdvertisingOutcome) {
        guard pending != nil else { return }
        pending = nil
        reported = state
        notices.append(.advertised(outcome))
    }

    private mutating func reportChange() {
        guard pending == nil, state != reported else { return }
        reported = state
        notices.append(.advertisingChanged)
    }
}
