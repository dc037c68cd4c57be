import Beacons
import HCI
import Primitives

/// The state of one advertising set that the controller holds, derived from its answers; `nil` means unknown.
struct HeldSet: Equatable {
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
    private(set) var frame: AdvertisedFrame?
    private(set) var selectedTxPowerDbm: Int8?
    /// Whether the gateway may have enabled the current advertising.
    private(set) var mayBeOurs = false

    /// - Parameter isEnabled: whether it is on, if that is known.
    init(isEnabled: Bool? = nil) { self.isEnabled = isEnabled }

    /// Whether it is off and nobody has used it.
    var isUnused: Bool { isEnabled == false && parameters == nil }

    func isOnAir(_ set: AdvertisedSet, of advertising: Advertising) -> Bool {
        guard isEnabled == true, parameters == Parameters(advertising), let frame else {
            return false
        }
        return set.contains(frame)
    }

    /// Whether the controller holds the effect of a step already.
    func holds(_ action: AdvertisingStep.Action) -> Bool {
        switch action {
        case .disable: isEnabled == false
        case .parameters(let desired): parameters == Parameters(desired)
        case .address(let desired): address == desired
        case .data(let desired): frame == desired
        case .enable: false
        }
    }

    mutating func sent(_ action: AdvertisingStep.Action) {
        if action == .enable { mayBeOurs = true }
    }

    /// - Parameter txPowerDbm: the power that the controller chose, in dBm.
    mutating func accepted(_ action: AdvertisingStep.Action, txPowerDbm: Int8?) {
        switch action {
        case .disable: switchedOff()
        case .parameters(let advertising):
            parameters = Parameters(advertising)
            selectedTxPowerDbm = txPowerDbm
        case .address(let address): self.address = address
        case .data(let frame): self.frame = frame
        case .enable: isEnabled = true
        }
    }

    /// - Returns: whether the refusal proves that the step's effect holds already.
    mutating func refused(_ action: AdvertisingStep.Action, _ status: HCIStatus) -> Bool {
        switch (action, status) {
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
    /// - Returns: whether it may have changed the set. The opcode does not name it.
    mutating func otherProgramSent(_ opcode: Opcode, _ family: CommandFamily) -> Bool {
        switch (family, opcode) {
        case (.legacy, .leSetAdvertisingEnable), (.extended, .leSetExtendedAdvertisingEnable):
            isEnabled = nil
        case (.legacy, .leSetAdvertisingParameters),
            (.extended, .leSetExtendedAdvertisingParameters):
            parameters = nil
        case (.legacy, .leSetAdvertisingData), (.extended, .leSetExtendedAdvertisingData):
            frame = nil
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
        frame = nil
        selectedTxPowerDbm = nil
    }

    private mutating func switchedOff() {
        isEnabled = false
        mayBeOurs = false
    }
}
