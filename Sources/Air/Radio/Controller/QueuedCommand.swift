import HCI

/// A command of the setup or the scan, the effect of a refusal, and the milestone that its answer marks.
struct QueuedCommand {
    enum Refusal {
        case isFatal
        case isAllowed
        /// Another program may use the controller: its other command family, or its scan.
        case isForOthers
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

    /// The address that the gateway uses instead of a public one. A controller that scans has it already, and refuses.
    static func address(_ capabilities: Capabilities) -> [QueuedCommand] {
        capabilities.randomAddress.map {
            [QueuedCommand(.randomAddress($0), refusal: .isAllowed)]
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
