import Beacon
import HCI

/// The dialogue with a controller: initialise it, choose a command family, keep it scanning.
///
/// One command is under way at a time and is matched to its answer by opcode; reports pass it by. A value without
/// clocks or sockets: what happened goes in, what is to be done comes out.
package struct Controller {
    package enum Action: Equatable, Sendable {
        case send(Command)
        /// From now on the radio hears.
        case hearing
        /// From now on it does not.
        case deaf
    }

    /// Why the dialogue can't go on; the transport is to be closed and opened anew.
    package enum Fault: Error, Equatable, Sendable {
        case timedOut(Opcode)
        case refused(Opcode, Status)
        case hardwareError(UInt8)
    }

    /// A command, and what its refusal means.
    private struct Step {
        enum Refusal {
            case isFatal
            case isAllowed
            /// Somebody may have used the other family: silence that once, then try again.
            case mayBeTheOtherFamily
        }

        let command: Command
        var refusal = Refusal.isFatal
    }

    /// How long a controller may take to answer: the kernel's own patience.
    package static let answerTimeout: Int64 = 2_000_000
    /// Between two takings back of the scan from somebody else, in microseconds: no duel.
    package static let rearmInterval: Int64 = 1_000_000

    private let isExclusive: Bool
    private let timing: ScanTiming
    private var steps: [Step] = []
    private var outstanding: (step: Step, deadline: Instant)?
    private var credits: UInt8 = 1
    /// When the wait for a credit, while there is something to send, has been too long.
    private var creditDeadline: Instant?
    private var hasSilencedOtherFamily = false
    private var rearmAt: Instant?
    private var lastRearm: Instant?

    package private(set) var capabilities = Capabilities()
    /// The family in use; settled once the controller has said what it can do.
    package private(set) var family: CommandFamily?
    package private(set) var isHearing = false
    /// How often somebody else has changed our scan.
    package private(set) var interferences = 0

    /// - Parameters:
    ///   - isExclusive: whether the controller is ours alone, to be reset and set up from scratch.
    ///   - timing: how to scan.
    package init(isExclusive: Bool, timing: ScanTiming = .continuous) {
        self.isExclusive = isExclusive
        self.timing = timing
    }

    /// When `tick` is wanted at the latest.
    package var deadline: Instant? {
        [outstanding?.deadline, creditDeadline, rearmAt].compactMap(\.self).min()
    }

    package mutating func start(at now: Instant) -> [Action] {
        // On the raw channel the kernel has done this, and a reset would pull the rug from under it.
        let setUp: [Command] = isExclusive ? [.reset, .setEventMask, .leSetEventMask] : []
        let questions: [Command] = [
            .readLocalVersion, .readLocalSupportedCommands, .leReadLocalSupportedFeatures,
        ]
        steps = (setUp + questions).map { Step(command: $0) }
        steps.append(Step(command: .leReadSupportedStates, refusal: .isAllowed))
        return proceed(at: now)
    }

    /// Takes in an event that is no advertising report.
    package mutating func on(
        _ event: Event, _ packet: Bytes, at now: Instant
    ) throws(Fault) -> [Action] {
        switch event {
        case .commandComplete(let opcode, let credits, let answer):
            self.credits = credits
            let parameters = packet.extracting(answer)
            if outstanding?.step.command.opcode == opcode {
                capabilities.learn(from: parameters, to: opcode)
            }
            let status = parameters.count > 0 ? Status(rawValue: parameters[0]) : .success
            return try answered(opcode, status, at: now)
        case .commandStatus(let opcode, let credits, let status):
            self.credits = credits
            // Success only says that the command is being worked on.
            guard status != .success else { return proceed(at: now) }
            return try answered(opcode, status, at: now)
        case .hardwareError(let code):
            throw .hardwareError(code)
        case .advertisingReports, .other:
            return []
        }
    }

    /// Time has passed.
    package mutating func tick(at now: Instant) throws(Fault) -> [Action] {
        if let outstanding, outstanding.deadline <= now {
            throw .timedOut(outstanding.step.command.opcode)
        }
        if let creditDeadline, creditDeadline <= now, let step = steps.first {
            throw .timedOut(step.command.opcode)
        }
        guard let rearmAt, rearmAt <= now else { return [] }
        self.rearmAt = nil
        lastRearm = now
        scan()
        return proceed(at: now)
    }

    /// What to send before leaving, so that nothing is left running.
    package var farewell: [Command] {
        guard let family else { return [] }
        return [.scanEnable(false, family)]
    }

    private mutating func answered(
        _ opcode: Opcode, _ status: Status, at now: Instant
    ) throws(Fault) -> [Action] {
        guard let step = outstanding?.step, step.command.opcode == opcode else {
            let turns = status == .success ? overheard(opcode, at: now) : []
            return turns + proceed(at: now)
        }
        outstanding = nil
        if status != .success {
            switch step.refusal {
            case .isAllowed: break
            case .mayBeTheOtherFamily where status == .commandDisallowed && !hasSilencedOtherFamily:
                silenceOtherFamily()
            case .isFatal, .mayBeTheOtherFamily: throw .refused(opcode, status)
            }
        }
        if steps.isEmpty, family == nil {
            family = capabilities.family
            scan()
        } else if steps.isEmpty, !isHearing, rearmAt == nil {
            isHearing = true
            return [.hearing]
        }
        return proceed(at: now)
    }

    /// Sends the next command, if none is under way and the controller takes one.
    private mutating func proceed(at now: Instant) -> [Action] {
        guard outstanding == nil, !steps.isEmpty else { return [] }
        guard credits > 0 else {
            // A controller that takes no command for good is as dead as one that answers none.
            creditDeadline = creditDeadline ?? now.advanced(byMicroseconds: Self.answerTimeout)
            return []
        }
        creditDeadline = nil
        let step = steps.removeFirst()
        outstanding = (step, now.advanced(byMicroseconds: Self.answerTimeout))
        return [.send(step.command)]
    }

    /// Off first: parameters are refused while a scan is on, be it the kernel's or one left from before.
    private mutating func scan() {
        guard let family else { return }
        steps = [
            Step(command: .scanEnable(false, family), refusal: .isAllowed),
            Step(command: .scanParameters(timing, family), refusal: .mayBeTheOtherFamily),
            Step(command: .scanEnable(true, family), refusal: .mayBeTheOtherFamily),
        ]
    }

    private mutating func silenceOtherFamily() {
        guard let family else { return }
        hasSilencedOtherFamily = true
        scan()
        steps.insert(
            contentsOf: [
                Step(command: .scanEnable(false, family.other), refusal: .isAllowed),
                Step(command: .advertisingEnable(false, family.other), refusal: .isAllowed),
            ], at: 0)
    }

    /// The answer to somebody else's command: if it touched the scan, ours may be off.
    private mutating func overheard(_ opcode: Opcode, at now: Instant) -> [Action] {
        guard let family, !isExclusive, rearmAt == nil,
            opcode == Command.scanEnable(false, family).opcode
                || opcode == Command.scanParameters(timing, family).opcode
        else { return [] }
        interferences += 1
        rearmAt = max(now, lastRearm?.advanced(byMicroseconds: Self.rearmInterval) ?? now)
        guard isHearing else { return [] }
        isHearing = false
        return [.deaf]
    }
}
