import HCI
import Primitives

/// Keeps the controller's scan on, and restores it after another program has changed it.
///
/// Like the advertiser, the value owns no transport: its owner sends its commands.
struct Scanner {
    /// Other programs need several commands for a change. The gateway waits for this time after the latest.
    static let quiet: Duration = .milliseconds(200)

    private let timing: ScanTiming
    private var held = HeldScan()
    private var restore = RestoreSchedule(quiet: Self.quiet, firstPause: Self.quiet)
    /// The latest scan of other programs, which have switched it on and not off.
    private var othersParameters: HCICommand?
    private var othersEnable: HCICommand?
    /// Whether another program has changed the scan since the latest attempt.
    private var isInterfered = false
    /// How often other programs have changed the scan.
    private(set) var interferences = 0

    init(_ timing: ScanTiming) { self.timing = timing }

    /// Whether the controller reports each advertisement that it receives.
    var isRunning: Bool { held.serves(timing) }

    /// Whether another program's scan explains a refusal.
    var isContested: Bool { held.isEnabled == true || restore.due != nil }

    /// When `attempt` is due, even without events.
    var deadline: Instant? { restore.due }

    /// The commands that end the gateway's scan. A scan of the kernel goes on: the kernel believes that it is on.
    func stopCommands(_ family: CommandFamily) -> [HCICommand] {
        let disable = HCICommand.scanEnable(false, family)
        guard let othersParameters, let othersEnable else { return [disable] }
        let isTheirs = held.isEnabled == true && held.parameters == ScanParameters(othersParameters)
        return isTheirs ? [othersEnable] : [disable, othersParameters, othersEnable]
    }

    /// Whether a command of another program changes a scan of the family.
    static func affects(_ opcode: Opcode, _ family: CommandFamily) -> Bool {
        switch family {
        case .legacy: [.leSetScanParameters, .leSetScanEnable, .reset].contains(opcode)
        case .extended:
            [.leSetExtendedScanParameters, .leSetExtendedScanEnable, .reset].contains(opcode)
        }
    }

    /// All commands of the scan, without regard to the scan that the controller runs.
    mutating func start(_ family: CommandFamily, from own: OwnAddressType) -> [QueuedCommand] {
        isInterfered = false
        return HeldScan().missing(for: timing, family, from: own).map(QueuedCommand.scan)
    }

    /// The commands that restore the scan, when they are due; `nil` before.
    mutating func attempt(
        _ family: CommandFamily, from own: OwnAddressType, at now: Instant
    ) -> [QueuedCommand]? {
        guard let due = restore.due, due <= now else { return nil }
        restore.begin(at: now)
        isInterfered = false
        let missing = held.missing(for: timing, family, from: own)
        if missing.isEmpty { restore.cancel() }
        return missing.map(QueuedCommand.scan)
    }

    /// The controller has accepted a command of the gateway.
    mutating func accepted(_ command: HCICommand) {
        held.accepted(command)
        if isRunning { restore.cancel() }
    }

    /// The controller disallows the scan although the gateway does not use the other family: another program scans or
    /// connects.
    mutating func disallowed(at now: Instant) {
        held.forget()
        restore.postpone(at: now)
    }

    /// A command for the other family may have stopped the scan.
    mutating func mayHaveStopped() { held.forget() }

    /// Another program sends a command that affects the scan.
    mutating func otherProgramSends(at now: Instant) { restore.schedule(at: now) }

    /// Another program's command has succeeded.
    ///
    /// - Parameter command: `nil` if the gateway does not know its parameters.
    mutating func otherProgramSent(_ command: HCICommand?, at now: Instant) {
        if let command { held.accepted(command) } else { held.forget() }
        remember(command)
        if !isInterfered { interferences += 1 }
        isInterfered = true
        restore.schedule(at: now)
    }

    private mutating func remember(_ command: HCICommand?) {
        switch command?.opcode {
        case .leSetScanParameters, .leSetExtendedScanParameters: othersParameters = command
        case .leSetScanEnable, .leSetExtendedScanEnable:
            othersEnable = command?.parameters.first == 1 ? command : nil
        default: (othersParameters, othersEnable) = (nil, nil)
        }
    }
}

/// The scan that the controller runs, derived from its answers to the gateway and to other programs; `nil` means unknown.
struct HeldScan: Equatable {
    private(set) var isEnabled: Bool?
    /// Whether the scan reports duplicates, for an unlimited time.
    private var isComplete: Bool?
    private(set) var parameters: ScanParameters?

    /// Whether another program's scan or the gateway's reports all that the desired scan reports.
    func serves(_ timing: ScanTiming) -> Bool {
        isEnabled == true && isComplete == true && areServing(timing)
    }

    /// The commands that lead to the desired scan.
    ///
    /// A scan of another program goes on if it suffices: it only loses its filter. A Scan Disable would cancel the timer
    /// with which the kernel ends a discovery (Linux, le_set_scan_enable_complete). Controllers refuse parameters during a
    /// scan.
    func missing(
        for timing: ScanTiming, _ family: CommandFamily, from own: OwnAddressType
    ) -> [HCICommand] {
        guard !serves(timing) else { return [] }
        let parameters = HCICommand.scanParameters(timing, family, from: own)
        let enable = HCICommand.scanEnable(true, family)
        return switch isEnabled {
        case true? where areServing(timing): [enable]
        case false? where self.parameters == ScanParameters(parameters): [enable]
        case false?: [parameters, enable]
        case true?, nil: [.scanEnable(false, family), parameters, enable]
        }
    }

    private func areServing(_ timing: ScanTiming) -> Bool { parameters?.serve(timing) ?? false }

    /// The controller has accepted a command.
    mutating func accepted(_ command: HCICommand) {
        switch command.opcode {
        case .leSetScanEnable, .leSetExtendedScanEnable:
            isEnabled = command.parameters.first.map { $0 == 1 }
            // Filter of duplicates, duration, period (7.8.11, 7.8.65).
            isComplete = command.parameters.dropFirst().allSatisfy { $0 == 0 }
        case .leSetScanParameters, .leSetExtendedScanParameters:
            parameters = ScanParameters(command)
        case .reset:
            isEnabled = false
            parameters = nil
        default: break
        }
    }

    /// Another program has changed the scan in an unknown way.
    mutating func forget() { self = HeldScan() }
}
