import HCI
import Primitives

/// A command of the setup or the scan, the effect of a refusal, and the milestone that its answer marks.
struct QueuedCommand {
    enum Refusal {
        case isFatal
        case isAllowed
        /// Another program may use the controller: its other command family, or its scan.
        case isForOthers
        /// A controller that scans has the random address already.
        case isForAddress
        /// The controller is older than it claims: the first LE event mask serves as well.
        case isForLaterEvents
    }

    /// The state after the controller's answer.
    enum Milestone {
        case versionKnown
        /// The capabilities are known.
        case capabilitiesKnown
        /// The other family's scan is off. Some controllers switch off both families' scans with one command.
        case otherScanStopped
        /// The other family's advertising is off, with the same side effect.
        case otherAdvertisingStopped
        case probeAnswered
        /// The controller sends all events that the gateway needs.
        case eventsUnmasked
    }

    let command: HCICommand
    let refusal: Refusal
    let milestone: Milestone?

    init(_ command: HCICommand, refusal: Refusal = .isFatal, milestone: Milestone? = nil) {
        self.command = command
        self.refusal = refusal
        self.milestone = milestone
    }

    var isForOtherFamily: Bool {
        milestone == .otherScanStopped || milestone == .otherAdvertisingStopped
    }

    /// Initialises a controller and reads its capabilities. The kernel initialises a shared one: a reset would break
    /// the kernel's state.
    static func setUp(isExclusive: Bool) -> [QueuedCommand] {
        let initialisation: [HCICommand] = isExclusive ? [.reset, .setEventMask] : []
        return initialisation.map { QueuedCommand($0) } + [
            QueuedCommand(.readLocalVersion, milestone: .versionKnown),
            QueuedCommand(.readLocalSupportedCommands),
            QueuedCommand(.leReadLocalSupportedFeatures),
            QueuedCommand(.readDeviceAddress, refusal: .isAllowed),
            QueuedCommand(
                .leReadSupportedStates, refusal: .isAllowed, milestone: .capabilitiesKnown),
        ]
    }

    /// Asks an exclusive controller for the LE events that the gateway needs.
    static func leEventMask(_ capabilities: Capabilities) -> QueuedCommand {
        capabilities.knowsExtendedReports
            ? QueuedCommand(.leSetEventMask, refusal: .isForLaterEvents)
            : QueuedCommand(.leSetFirstEventMask, refusal: .isAllowed)
    }

    /// Restores the event masks that a reset has set to the controller's defaults. The default LE event mask has legacy
    /// reports.
    static func unmaskEvents(_ capabilities: Capabilities) -> [QueuedCommand] {
        [
            QueuedCommand(.setEventMask, refusal: .isAllowed),
            QueuedCommand(
                .leSetSharedEventMask(version: capabilities.version), refusal: .isAllowed,
                milestone: .eventsUnmasked),
        ]
    }

    /// The address that the gateway uses instead of a public one.
    static func address(_ capabilities: Capabilities) -> [QueuedCommand] {
        capabilities.randomAddress.map {
            [QueuedCommand(.randomAddress($0), refusal: .isForAddress)]
        } ?? []
    }

    /// A command of the scan. Some controllers refuse to disable a scan that is off.
    static func scan(_ command: HCICommand) -> QueuedCommand {
        let disables =
            command == .scanEnable(false, .legacy) || command == .scanEnable(false, .extended)
        return QueuedCommand(command, refusal: disables ? .isAllowed : .isForOthers)
    }

    /// Stops scan and advertising of a command family that the gateway does not use.
    static func stop(_ family: CommandFamily) -> [QueuedCommand] {
        [
            QueuedCommand(
                .scanEnable(false, family), refusal: .isAllowed, milestone: .otherScanStopped),
            QueuedCommand(
                .advertisingEnable(false, family), refusal: .isAllowed,
                milestone: .otherAdvertisingStopped),
        ]
    }
}

extension Capabilities {
    /// The controller refuses the random address, or has not said that it has no public one.
    ///
    /// - Returns: whether the gateway's address has changed.
    mutating func changesAddress(after queued: QueuedCommand, _ status: HCIStatus) -> Bool {
        switch queued.refusal {
        case .isForAddress: status != .commandDisallowed && refuseRandomAddress()
        case .isForOthers: status == .invalidParameters && refusePublicAddress()
        case .isFatal, .isAllowed, .isForLaterEvents: false
        }
    }
}

/// The one command of the gateway that a controller executes, and the credit for the next one.
struct CommandSlot {
    struct Outstanding {
        let command: HCICommand
        /// `nil` for a command of the advertiser.
        let queued: QueuedCommand?
        let deadline: Instant
    }

    private(set) var outstanding: Outstanding?
    /// The command of another program that the controller executes. The kernel sends one command at a time.
    private var foreign: HCICommand?
    private var credits: UInt8 = 1
    /// When the wait for a credit times out.
    private var creditDeadline: Instant?

    var deadline: Instant? { outstanding?.deadline ?? creditDeadline }

    mutating func grant(_ credits: UInt8) { self.credits = credits }

    mutating func overheard(_ command: HCICommand) { foreign = command }

    /// Whether an answer is for the gateway's command, and not for another program's.
    func isOwn(_ opcode: Opcode) -> Bool {
        outstanding?.command.opcode == opcode && foreign?.opcode != opcode
    }

    /// The gateway's command that an answer is for; `nil` if it is for another program's.
    mutating func takeOwn(_ opcode: Opcode) -> Outstanding? {
        guard isOwn(opcode) else { return nil }
        defer { (outstanding, foreign) = (nil, nil) }
        return outstanding
    }

    /// The command of another program that an answer is for; `nil` if the gateway has not heard it.
    mutating func takeForeign(_ opcode: Opcode) -> HCICommand? {
        // Opcode 0 only grants credits.
        guard opcode != .none else { return nil }
        defer { foreign = nil }
        return foreign?.opcode == opcode ? foreign : nil
    }

    /// Whether the next command may be sent. Without a credit, the wait for one begins.
    mutating func isFree(for next: HCICommand?, at now: Instant) -> Bool {
        guard outstanding == nil, next != nil else {
            creditDeadline = nil
            return false
        }
        // A controller that never gives a credit is as dead as one that never answers.
        creditDeadline = credits > 0 ? nil : creditDeadline ?? now + Controller.answerTimeout
        return credits > 0
    }

    mutating func send(_ command: HCICommand, _ queued: QueuedCommand?, at now: Instant) {
        outstanding = Outstanding(
            command: command, queued: queued, deadline: now + Controller.answerTimeout)
    }

    /// Checks the time-outs.
    ///
    /// - Parameter next: the command that waits for a credit.
    /// - Returns: whether a probe has timed out, which is no fault.
    mutating func tick(next: HCICommand?, at now: Instant) throws(Controller.Fault) -> Bool {
        if let creditDeadline, creditDeadline <= now, let next { throw .timedOut(next.opcode) }
        guard let outstanding, outstanding.deadline <= now else { return false }
        guard outstanding.queued?.milestone == .probeAnswered else {
            throw .timedOut(outstanding.command.opcode)
        }
        self.outstanding = nil
        return true
    }
}
