import Beacons
import HCI

/// What the controller holds of our advertising, as far as its answers say; `nil` is what is not known.
///
/// Events come in the order in which the controller did things, so a success of ours always says what holds from then
/// on, whatever others did before.
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
    private var beacon: IBeacon?
    private var selectedTxPowerDbm: Int8?
    /// Whether what is on the air, if anything is, may have been put there by us.
    private(set) var mayBeOurs = false

    /// Every piece, in the order that controllers accept.
    static func all(of advertising: Advertising) -> [AdvertisingStep] {
        [.disable, .parameters(advertising), .data(advertising.beacon), .enable]
    }

    /// The pieces that are missing until `advertising` is on the air.
    func missing(until advertising: Advertising) -> [AdvertisingStep] {
        guard !isOnAir(advertising) else { return [] }
        return Self.all(of: advertising).filter { piece in
            switch piece {
            case .disable: isEnabled != false
            case .parameters(let wanted): parameters != Parameters(wanted)
            case .data(let wanted): beacon != wanted
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

    mutating func send(_ piece: AdvertisingStep) {
        if piece == .enable { mayBeOurs = true }
    }

    /// - Parameter txPowerDbm: what the controller chose, in dBm.
    mutating func accept(_ piece: AdvertisingStep, txPowerDbm: Int8?) {
        switch piece {
        case .disable: switchedOff()
        case .parameters(let advertising):
            parameters = Parameters(advertising)
            selectedTxPowerDbm = txPowerDbm
        case .data(let beacon): self.beacon = beacon
        case .enable: isEnabled = true
        }
    }

    /// - Returns: whether the refusal itself says that all is as it should be.
    mutating func refuse(_ piece: AdvertisingStep, _ status: Status) -> Bool {
        switch (piece, status) {
        case (.disable, .unknownAdvertisingIdentifier):
            // There is no such set, or no longer.
            forget()
            switchedOff()
            return true
        case (.disable, .commandDisallowed) where isEnabled != true:
            // How many legacy controllers say that nothing was on.
            switchedOff()
            return true
        case (.enable, _):
            mayBeOurs = isEnabled != false
            return false
        default: return false
        }
    }

    /// Somebody else's command has succeeded.
    ///
    /// - Returns: whether it is one that may have changed what we advertise; whose set it was it does not say.
    mutating func overhear(_ opcode: Opcode, _ family: CommandFamily) -> Bool {
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

    /// Nothing is known any more.
    mutating func forget() {
        isEnabled = nil
        parameters = nil
        beacon = nil
        selectedTxPowerDbm = nil
    }

    private mutating func switchedOff() {
        isEnabled = false
        mayBeOurs = false
    }
}
