import HCI

/// A command of the setup or the scan, the effect of a refusal, and the milestone that its answer marks.
struct QueuedCommand {
    enum Refusal {
        case isFatal
        case isAllowed
        /// Another program may use the other command family: stop that once, then repeat the command.
        case mayBeOtherFamily
    }

    /// The state after the controller's answer.
    enum Milestone {
        /// The capabilities are known.
        case capabilitiesKnown
        case scanStarted
        /// The other family's scan is off. Some controllers switch off both families' scans with one command.
        case otherScanStopped
        /// The other family's advertising is off, with the same side effect.
        case otherAdvertisingStopped
        case probeAnswered
        /// The controller sends all events that the gateway needs.
        case eventsUnmasked
    }

    let command: Command
    let refusal: Refusal
    let milestone: Milestone?

    init(_ command: Command, refusal: Refusal = .isFatal, milestone: Milestone? = nil) {
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
        let initialisation: [Command] = isExclusive ? [.reset, .setEventMask, .leSetEventMask] : []
        let queries: [Command] = [
            .readLocalVersion, .readLocalSupportedCommands, .leReadLocalSupportedFeatures,
        ]
        return (initialisation + queries).map { QueuedCommand($0) } + [
            QueuedCommand(.readDeviceAddress, refusal: .isAllowed),
            QueuedCommand(
                .leReadSupportedStates, refusal: .isAllowed, milestone: .capabilitiesKnown),
        ]
    }

    /// Restores the event masks that a reset has set to the controller's defaults.
    static let unmaskEvents = [
        QueuedCommand(.setEventMask),
        QueuedCommand(.leSetSharedEventMask, milestone: .eventsUnmasked),
    ]

    /// Stops the scan, sets its parameters and starts it. Controllers refuse parameters during a scan.
    static func scan(_ timing: ScanTiming, _ family: CommandFamily) -> [QueuedCommand] {
        [
            QueuedCommand(.scanEnable(false, family), refusal: .isAllowed),
            QueuedCommand(.scanParameters(timing, family), refusal: .mayBeOtherFamily),
            QueuedCommand(
                .scanEnable(true, family), refusal: .mayBeOtherFamily, milestone: .scanStarted),
        ]
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
