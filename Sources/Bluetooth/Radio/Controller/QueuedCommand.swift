import HCI

/// A command on the way to hearing, what its refusal means, and what is reached with it.
struct QueuedCommand {
    enum Refusal {
        case isFatal
        case isAllowed
        /// Somebody may have used the other family: silence that once, then try again.
        case mayBeTheOtherFamily
    }

    /// What is the case once the command has been answered.
    enum Milestone {
        /// The controller has said what it can do.
        case asked
        /// The scan is on.
        case scanning
        /// The other family's scan is off, and so is whatever the controller takes for the same.
        case otherScanOff
        /// The other family's advertising is off, likewise.
        case otherAdvertisingOff
        /// It is known that the controller answers.
        case probed
        /// The controller sends the events that we want.
        case unmasked
    }

    let command: Command
    let refusal: Refusal
    let milestone: Milestone?

    init(_ command: Command, refusal: Refusal = .isFatal, milestone: Milestone? = nil) {
        self.command = command
        self.refusal = refusal
        self.milestone = milestone
    }

    var isForOtherFamily: Bool { milestone == .otherScanOff || milestone == .otherAdvertisingOff }

    /// As after a reset, when a controller has a mind of its own about what is worth an event.
    static let unmask = [
        QueuedCommand(.setEventMask), QueuedCommand(.leSetSharedEventMask, milestone: .unmasked),
    ]

    /// Off, parameters, on.
    static func scan(_ timing: ScanTiming, _ family: CommandFamily) -> [QueuedCommand] {
        [
            QueuedCommand(.scanEnable(false, family), refusal: .isAllowed),
            QueuedCommand(.scanParameters(timing, family), refusal: .mayBeTheOtherFamily),
            QueuedCommand(
                .scanEnable(true, family), refusal: .mayBeTheOtherFamily, milestone: .scanning),
        ]
    }

    /// Silences the family that is not ours.
    static func silence(_ family: CommandFamily) -> [QueuedCommand] {
        [
            QueuedCommand(
                .scanEnable(false, family), refusal: .isAllowed, milestone: .otherScanOff),
            QueuedCommand(
                .advertisingEnable(false, family), refusal: .isAllowed,
                milestone: .otherAdvertisingOff),
        ]
    }
}
