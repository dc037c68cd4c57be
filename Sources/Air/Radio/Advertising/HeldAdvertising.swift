import Beacons
import HCI
import Primitives

/// The advertising state that the controller holds, derived from its answers; `nil` means unknown.
///
/// A controller answers in the order in which it executes commands. A success therefore proves the new state, whatever
/// other programs did before.
struct HeldAdvertising: Equatable {
    private struct Parameters: Equatable {
        let interval: AdvertisingInterval
        let txPowerDbm: Int8?

        init(_ advertising: Advertising) {
            interval = advertising.interval
            txPowerDbm = advertising.txPowerDbm
        }
    }

    private(set) var isEnabled: Bool?
    private var parameters: Parameters?
    private var address: DeviceAddress?
    private var beacon: IBeacon?
    private var selectedTxPowerDbm: Int8?
    /// Whether the gateway may have enabled the current advertising.
    private(set) var mayBeOurs = false

    /// Every step, in the order that controllers accept.
    static func allSteps(
        to advertising: Advertising, _ capabilities: Capabilities
    ) -> [AdvertisingStep] {
        let address = capabilities.family == .extended ? capabilities.randomAddress : nil
        return [.disable, .parameters(advertising)] + (address.map { [.address($0)] } ?? [])
            + [.data(advertising.beacon), .enable]
    }

    /// The steps without those whose effect the controller holds already.
    func missingSteps(
        to advertising: Advertising, _ capabilities: Capabilities
    ) -> [AdvertisingStep] {
        guard !isOnAir(advertising) else { return [] }
        return Self.allSteps(to: advertising, capabilities).filter { step in
            switch step {
            case .disable: isEnabled != false
            case .parameters(let desired): parameters != Parameters(desired)
            case .address(let desired): address != desired
            case .data(let desired): beacon != desired
            case .enable: true
            }
        }
    }

    func isOnAir(_ advertising: Advertising) -> Bool {
        isEnabled == true && parameters == Parameters(advertising) && beacon == advertising.beacon
    }

    var state: AdvertisingState {
        guard isEnabled == true, let parameters, let beacon else { return AdvertisingState() }
        let advertising = Advertising(
            beacon: beacon, interval: parameters.interval, txPowerDbm: parameters.txPowerDbm)
        return AdvertisingState(advertising: advertising, txPowerDbm: selectedTxPowerDbm)
    }

    mutating func sent(_ step: AdvertisingStep) {
        if step == .enable { mayBeOurs = true }
    }

    /// - Parameter txPowerDbm: the power that the controller chose, in dBm.
    mutating func accepted(_ step: AdvertisingStep, txPowerDbm: Int8?) {
        switch step {
        case .disable: switchedOff()
        case .parameters(let advertising):
            parameters = Parameters(advertising)
            selectedTxPowerDbm = txPowerDbm
        case .address(let address): self.address = address
        case .data(let beacon): self.beacon = beacon
        case .enable: isEnabled = true
        }
    }

    /// - Returns: whether the refusal proves that the step's effect holds already.
    mutating func refused(_ step: AdvertisingStep, _ status: HCIStatus) -> Bool {
        switch (step, status) {
        case (.disable, .unknownAdvertisingIdentifier):
            // The advertising set does not exist.
            forget()
            switchedOff()
            return true
        case (.disable, .commandDisallowed) where isEnabled != true:
            // Many legacy controllers report with this status that advertising was off.
            switchedOff()
            return true
        case (.enable, _):
            mayBeOurs = isEnabled != false
            return false
        default: return false
        }
    }

    /// Another program's command has succeeded.
    ///
    /// - Returns: whether it may have changed the gateway's advertising. The opcode does not name the advertising set.
    mutating func otherProgramSent(_ opcode: Opcode, _ family: CommandFamily) -> Bool {
        switch (family, opcode) {
        case (.legacy, .leSetAdvertisingEnable), (.extended, .leSetExtendedAdvertisingEnable):
            isEnabled = nil
        case (.legacy, .leSetAdvertisingParameters),
            (.extended, .leSetExtendedAdvertisingParameters):
            parameters = nil
        case (.legacy, .leSetAdvertisingData), (.extended, .leSetExtendedAdvertisingData):
            beacon = nil
        case (.extended, .leRemoveAdvertisingSet), (.extended, .leClearAdvertisingSets): forget()
        case (_, .reset):
            forget()
            switchedOff()
        default: return false
        }
        return true
    }

    /// Marks the whole state as unknown.
    mutating func forget() {
        isEnabled = nil
        parameters = nil
        address = nil
        beacon = nil
        selectedTxPowerDbm = nil
    }

    private mutating func switchedOff() {
        isEnabled = false
        mayBeOurs = false
    }
}

/// When to restore a state that another program has changed: at most once a second, and ever more rarely while the
/// controller refuses it.
struct RestoreSchedule {
    /// The time without another change before an attempt. Changes without pause delay it by a second.
    private let quiet: Duration
    /// The pause after the first refusal. Each further refusal doubles it.
    private let firstPause: Duration

    /// The shortest time between two attempts: two programs must not overwrite each other without pause.
    static let shortestPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(60)

    private(set) var due: Instant?
    private var latest: Instant?
    /// The first change since the latest attempt.
    private var since: Instant?
    /// Refusals since the last success.
    private var refusals = 0

    init(quiet: Duration = .zero, firstPause: Duration = shortestPause) {
        self.quiet = quiet
        self.firstPause = firstPause
    }

    /// Schedules an attempt: another program has interfered.
    mutating func schedule(at now: Instant) {
        let first = since ?? now
        since = first
        let quietEnds = min(now + quiet, first + Self.shortestPause)
        due = max(quietEnds, latest.map { $0 + Self.shortestPause } ?? now)
    }

    /// Schedules an attempt after pauses that grow to a minute: the controller has refused the last one.
    mutating func postpone(at now: Instant) {
        let pause = firstPause * (1 << min(refusals, 9))
        refusals += 1
        due = now + min(pause, Self.longestPause)
    }

    /// Starts an attempt.
    mutating func begin(at now: Instant) {
        (due, since) = (nil, nil)
        latest = now
    }

    /// Cancels the attempt: the state is correct.
    mutating func cancel() {
        (due, since) = (nil, nil)
        refusals = 0
    }
}
