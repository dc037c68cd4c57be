import HCI
import Primitives

/// The dialogue with a controller: initialise it, choose a command family, keep it scanning, let it advertise.
///
/// One command is under way at a time and is matched to its answer by opcode; reports pass it by. What scanning needs
/// goes first. A value without clocks or sockets: what happened goes in, what is to be done comes out.
package struct Controller {
    /// A command under way, and for whom.
    private struct Outstanding {
        let command: Command
        /// `nil`: for the advertiser.
        let step: QueuedCommand?
        let deadline: Instant
    }

    /// How long a controller may take to answer: the kernel's own patience.
    package static let answerTimeout: Int64 = 2_000_000
    /// Between two takings back of the scan from somebody else, in microseconds: no duel.
    package static let rearmInterval: Int64 = 1_000_000

    private let isExclusive: Bool
    private let timing: ScanTiming
    private var steps: [QueuedCommand] = []
    private var advertiser: Advertiser
    private var outstanding: Outstanding?
    private var credits: UInt8 = 1
    /// When the wait for a credit, while there is something to send, has been too long.
    private var creditDeadline: Instant?
    private var hasSilencedOtherFamily = false
    private var rearmAt: Instant?
    private var lastRearm: Instant?
    private var scanInterferences = 0
    /// Somebody else has reset the controller, which sends no reports by itself.
    private var mustUnmaskEvents = false

    package private(set) var capabilities = Capabilities()
    /// The family in use; settled once the controller has said what it can do.
    package private(set) var family: CommandFamily?
    package private(set) var isHearing = false

    /// - Parameters:
    ///   - isExclusive: whether the controller is ours alone, to be reset and set up from scratch.
    ///   - timing: how to scan.
    ///   - advertising: what is to be on the air once the scan is on.
    package init(
        isExclusive: Bool, timing: ScanTiming = .continuous,
        advertising: DesiredAdvertising = .untouched
    ) {
        self.isExclusive = isExclusive
        self.timing = timing
        advertiser = Advertiser(advertising)
    }

    /// What is on the air.
    package var advertising: AdvertisingState { advertiser.state }

    /// How often somebody else has changed our scan or our advertising.
    package var interferences: Int { scanInterferences + advertiser.interferences }

    /// When `tick` is wanted at the latest.
    package var deadline: Instant? {
        // The advertiser waits for its turn, which an answer brings.
        let isFree = outstanding == nil && steps.isEmpty
        return [
            outstanding?.deadline, creditDeadline, rearmAt, isFree ? advertiser.deadline : nil,
        ].compactMap(\.self).min()
    }

    package mutating func start(at now: Instant) -> [Action] {
        // On the raw channel the kernel has done this, and a reset would pull the rug from under it.
        let setUp: [Command] = isExclusive ? [.reset, .setEventMask, .leSetEventMask] : []
        let questions: [Command] = [
            .readLocalVersion, .readLocalSupportedCommands, .leReadLocalSupportedFeatures,
        ]
        steps = (setUp + questions).map { QueuedCommand($0) }
        steps.append(QueuedCommand(.readDeviceAddress, refusal: .isAllowed))
        steps.append(QueuedCommand(.leReadSupportedStates, refusal: .isAllowed, milestone: .asked))
        return proceed(at: now)
    }

    /// Something else is to be on the air from now on.
    package mutating func advertise(_ wish: DesiredAdvertising, at now: Instant) -> [Action] {
        advertiser.wish(wish)
        return proceed(at: now)
    }

    /// Asks the controller whether it is there; `answered` or `unanswered` says so, unless the scan is on anew before.
    package mutating func probe(at now: Instant) -> [Action] {
        steps.append(QueuedCommand(.readLocalVersion, refusal: .isAllowed, milestone: .probed))
        return proceed(at: now)
    }

    /// Switches the scan off and on.
    package mutating func rescan(at now: Instant) -> [Action] {
        guard family != nil else { return [] }
        let turns: [Action] = isHearing ? [.deaf] : []
        isHearing = false
        scan()
        return turns + proceed(at: now)
    }

    /// Asks for the events anew, in case that somebody has reset the controller before we came, and scans anew.
    package mutating func unmask(at now: Instant) -> [Action] {
        mustUnmaskEvents = true
        return rescan(at: now)
    }

    /// Takes in an event that is no advertising report.
    package mutating func on(
        _ event: Event, _ packet: Bytes, at now: Instant
    ) throws(Fault) -> [Action] {
        switch event {
        case .commandComplete(let opcode, let credits, let answer):
            self.credits = credits
            let parameters = packet.extracting(answer)
            if outstanding?.command.opcode == opcode {
                capabilities.learn(from: parameters, to: opcode)
            }
            let status = parameters.count > 0 ? Status(rawValue: parameters[0]) : .success
            return try answered(opcode, status, parameters, at: now)
        case .commandStatus(let opcode, let credits, let status):
            self.credits = credits
            // Success only says that the command is being worked on.
            guard status != .success else { return proceed(at: now) }
            return try answered(opcode, status, packet.extracting(0..<0), at: now)
        case .hardwareError(let code):
            throw .hardwareError(code)
        case .advertisingReports, .other:
            return []
        }
    }

    /// Time has passed.
    package mutating func tick(at now: Instant) throws(Fault) -> [Action] {
        var turns: [Action] = []
        if let outstanding, outstanding.deadline <= now {
            guard outstanding.step?.milestone == .probed else {
                throw .timedOut(outstanding.command.opcode)
            }
            self.outstanding = nil
            turns = [.unanswered]
        }
        if let creditDeadline, creditDeadline <= now, let command = nextCommand {
            throw .timedOut(command.opcode)
        }
        if let rearmAt, rearmAt <= now {
            self.rearmAt = nil
            lastRearm = now
            scan()
        }
        return turns + proceed(at: now, isTick: true)
    }

    /// What to send before leaving, so that nothing is left running.
    ///
    /// - Parameter keepingAdvertising: whether what is on the air is to stay there.
    package func farewell(keepingAdvertising: Bool = false) -> [Command] {
        guard let family else { return [] }
        let isLeftOn = keepingAdvertising || !advertiser.mayBeOn
        return [.scanEnable(false, family)]
            + (isLeftOn ? [] : [.advertisingEnable(false, family)])
    }

    private mutating func answered(
        _ opcode: Opcode, _ status: Status, _ answer: Bytes, at now: Instant
    ) throws(Fault) -> [Action] {
        guard let (command, step) = outstanding.map({ ($0.command, $0.step) }),
            command.opcode == opcode
        else {
            let turns = status == .success ? overheard(opcode, at: now) : []
            return turns + proceed(at: now)
        }
        outstanding = nil
        var turns: [Action] = []
        if let step {
            turns = try passed(step, status, at: now)
        } else {
            let power =
                opcode == .leSetExtendedAdvertisingParameters
                ? Command.selectedTxPower(in: answer) : nil
            let mustSilence = advertiser.answered(
                status, txPowerDbm: power, mayTryAgain: !hasSilencedOtherFamily, at: now)
            if mustSilence { silenceOtherFamily() }
        }
        return turns + proceed(at: now)
    }

    /// What is to be sent next: what scanning needs goes before what advertising needs.
    private var nextCommand: Command? { steps.first?.command ?? advertiser.next }

    /// Sends the next command, if none is under way and the controller takes one.
    private mutating func proceed(at now: Instant, isTick: Bool = false) -> [Action] {
        if outstanding == nil, steps.isEmpty { advertiser.plan(at: now, mayRestore: isTick) }
        let turns = advertiser.takeNews().map { news -> Action in
            switch news {
            case .answered(let outcome): .advertised(outcome)
            case .changed: .advertisingChanged
            }
        }
        guard outstanding == nil, let command = nextCommand else {
            creditDeadline = nil
            return turns
        }
        guard credits > 0 else {
            // A controller that takes no command for good is as dead as one that answers none.
            creditDeadline = creditDeadline ?? now.advanced(byMicroseconds: Self.answerTimeout)
            return turns
        }
        creditDeadline = nil
        let step = steps.isEmpty ? nil : steps.removeFirst()
        if step == nil { advertiser.send() }
        outstanding = Outstanding(
            command: command, step: step,
            deadline: now.advanced(byMicroseconds: Self.answerTimeout))
        return turns + [.send(command)]
    }

    /// A step has been answered.
    private mutating func passed(
        _ step: QueuedCommand, _ status: Status, at now: Instant
    ) throws(Fault) -> [Action] {
        if status != .success {
            switch step.refusal {
            case .isAllowed: break
            case .mayBeTheOtherFamily where status == .commandDisallowed && !hasSilencedOtherFamily:
                scan()
                silenceOtherFamily()
                return []
            case .isFatal, .mayBeTheOtherFamily: throw .refused(step.command.opcode, status)
            }
        }
        switch step.milestone {
        case .asked:
            family = capabilities.family
            advertiser.begin(capabilities)
            scan()
        case .scanning where !isHearing && rearmAt == nil && !isScanUnderWay:
            isHearing = true
            return [.hearing]
        case .otherScanOff where status == .success && isHearing:
            // A controller that lets the families be mixed has switched ours off with it.
            isHearing = false
            scan()
            return [.deaf]
        case .otherAdvertisingOff where status == .success: advertiser.disturb(at: now)
        case .probed: return [.answered]
        case .unmasked: mustUnmaskEvents = false
        case .scanning, .otherScanOff, .otherAdvertisingOff, nil: break
        }
        return []
    }

    private var isScanUnderWay: Bool { steps.contains { $0.milestone == .scanning } }

    /// Off first: parameters are refused while a scan is on, be it the kernel's or one left from before.
    private mutating func scan() {
        guard let family else { return }
        steps =
            steps.filter(\.isForOtherFamily) + (mustUnmaskEvents ? QueuedCommand.unmask : [])
            + QueuedCommand.scan(timing, family)
    }

    private mutating func silenceOtherFamily() {
        guard let family else { return }
        hasSilencedOtherFamily = true
        steps = QueuedCommand.silence(family.other) + steps
    }

    /// The answer to somebody else's command: if it touched the scan, ours may be off.
    private mutating func overheard(_ opcode: Opcode, at now: Instant) -> [Action] {
        guard !isExclusive else { return [] }
        if opcode == .reset {
            mustUnmaskEvents = true
            hasSilencedOtherFamily = false
        }
        guard let family else { return [] }
        advertiser.overhear(opcode, at: now)
        let scan = QueuedCommand.scan(timing, family).map(\.command.opcode)
        guard rearmAt == nil, opcode == .reset || scan.contains(opcode) else { return [] }
        scanInterferences += 1
        rearmAt = max(now, lastRearm?.advanced(byMicroseconds: Self.rearmInterval) ?? now)
        guard isHearing else { return [] }
        isHearing = false
        return [.deaf]
    }
}
