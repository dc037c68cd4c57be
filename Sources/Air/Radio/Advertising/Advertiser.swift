import Beacons
import HCI
import Primitives

/// Brings the controller's advertising to the desired state, one command after the other.
///
/// A request takes effect completely or not at all: if the controller refuses a command, the former advertising is
/// restored. The value owns no transport: its owner sends the `next` command when it is free, and hands back the answer.
struct Advertiser {
    private let isExclusive: Bool
    private var capabilities: Capabilities?
    private var held = HeldAdvertising()
    /// The advertising that the latest sequence leads to; `nil` for none.
    private var target: Advertising?
    private var turns = FrameTurns()
    /// The gateway's temperature in 1/256 °C, for its telemetry.
    private var temperature: Int16?
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

    /// - Parameter isExclusive: whether no other program uses the controller.
    init(_ desired: DesiredAdvertising, isExclusive: Bool) {
        self.isExclusive = isExclusive
        inForce = desired
        pending = desired
    }

    var state: AdvertisingState {
        guard let family = capabilities?.family,
            let current = [target, inForce.advertising].lazy.compactMap(\.self)
                .first(where: { held.isOnAir($0, family) })
        else { return AdvertisingState() }
        return AdvertisingState(
            advertising: current, txPowerDbm: held.txPowerDbm(of: current, family))
    }

    /// When `plan` is due, even without events.
    var deadline: Instant? { isIdle ? restore.due ?? turns.due : nil }

    /// Asks for the temperature if telemetry is due.
    mutating func measure(at now: Instant, _ read: () -> Int16?) {
        let sets = capabilities.flatMap { inForce.advertising?.sets($0.family) } ?? []
        if turns.isTelemetryDue(in: sets, at: now) { temperature = read() }
    }

    /// The commands that end the gateway's advertising, or leave the first frame of each set on the air.
    func stopCommands(keepingAdvertising: Bool) -> [HCICommand] {
        guard let capabilities else { return [] }
        let kept = state.advertising.map { held.steps(to: \.first, of: $0, capabilities) } ?? []
        return (keepingAdvertising ? kept : held.stop).map { $0.command(capabilities) }
    }

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
    mutating func begin(_ capabilities: Capabilities) {
        if self.capabilities == nil {
            held = HeldAdvertising(capabilities.family, isExclusive: isExclusive)
        }
        self.capabilities = capabilities
    }

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
            return takeTurn(capabilities, at: now, isTick: mayRestore)
        }
        turns.stop()
        let goal = pending ?? inForce
        guard !isReached(goal) else { return succeed(goal) }
        if goal.advertising != nil, let refusal = AdvertisingRefusal.predicted(by: capabilities) {
            return refuse(refusal, isLasting: true, at: now)
        }
        begin(
            CommandSequence(
                purpose: pending == nil ? .restore : .request, target: goal.advertising,
                steps: held.allSteps(to: goal.advertising, capabilities)))
    }

    private mutating func begin(_ sequence: CommandSequence) {
        self.sequence = sequence
        target = sequence.target
    }

    /// Sends the next frames, if that is due.
    private mutating func takeTurn(_ capabilities: Capabilities, at now: Instant, isTick: Bool) {
        guard let advertising = inForce.advertising,
            held.isOnAir(advertising, capabilities.family),
            advertising.sets(capabilities.family).contains(where: \.hasTurns)
        else { return turns.stop() }
        guard let due = turns.due else {
            return turns.schedule(after: advertising.turn, at: now)
        }
        guard isTick, due <= now else { return }
        turns.next()
        turns.schedule(after: advertising.turn, at: now)
        let number = turns.number
        let telemetry = turns.telemetry(of: advertising, temperature: temperature, at: now)
        let steps = held.steps(
            to: { $0.frame(inTurn: number, telemetry: telemetry) }, of: advertising, capabilities)
        guard !steps.isEmpty else { return }
        begin(CommandSequence(purpose: .turn, target: advertising, steps: steps))
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
            guard status == .commandDisallowed, step.action != .disable, mayRetry else {
                refused(step, status, in: current, at: now)
                return false
            }
            if let target = current.target, let capabilities {
                current.steps =
                    switch current.purpose {
                    case .rollback: held.missingSteps(to: target, capabilities)
                    case .request, .restore: held.allSteps(to: target, capabilities)
                    case .turn: current.steps
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
        guard held.isOn else { return }
        held.forget()
        if restore.due == nil { restore.schedule(at: now) }
        reportChange()
    }
}

// MARK: - Results

extension Advertiser {
    /// Advertising that is off already need not be disabled before it is enabled.
    private func isRequired(_ step: AdvertisingStep, for target: Advertising?) -> Bool {
        step.action != .disable || held.isEnabled(step.set) == true
            || target == nil && step.set == 0
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
                ?? held.stop
            guard !steps.isEmpty else { return refuse(refusal, at: now) }
            begin(CommandSequence(purpose: .rollback(refusal), target: target, steps: steps))
        case .rollback(let refusal): refuse(refusal, at: now)
        case .restore: restore.postpone(at: now)
        case .turn: break
        }
    }

    private mutating func finished(_ current: CommandSequence, at now: Instant) {
        sequence = nil
        switch current.purpose {
        case .rollback(let refusal): return refuse(refusal, at: now)
        case .turn: return
        case .request, .restore: break
        }
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
        case .untouched: held.stop.isEmpty
        case .off: held.isOff
        case .on(let advertising):
            capabilities.map { held.isOnAir(advertising, $0.family) } ?? false
        }
    }

    private mutating func succeed(_ goal: DesiredAdvertising) {
        inForce = goal
        isVerified = true
        restore.cancel()
        finishRequest(.applied)
    }

    /// - Parameter isLasting: whether a retry can't give the controller the capability that it lacks.
    private mutating func refuse(
        _ refusal: AdvertisingRefusal, isLasting: Bool = false, at now: Instant
    ) {
        finishRequest(.refused(refusal))
        if isReached(inForce) || isLasting {
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
