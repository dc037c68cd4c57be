import Beacons
import HCI

/// The parameters of the gateway's own advertising.
package struct Advertising: Equatable, Sendable {
    /// The gateway's identity. Those of other formats follow from it.
    package let beacon: IBeacon
    /// At least one.
    package let formats: BeaconFormats
    package let interval: AdvertisingInterval
    /// The desired transmission power in dBm; `nil` for the controller's choice. Legacy commands have no such parameter.
    package let txPowerDbm: Int8?

    package init(
        beacon: IBeacon, formats: BeaconFormats = .iBeacon, interval: AdvertisingInterval,
        txPowerDbm: Int8? = nil
    ) {
        self.beacon = beacon
        self.formats = formats
        self.interval = interval
        self.txPowerDbm = txPowerDbm
    }
}

/// The desired state of the controller's advertising.
package enum DesiredAdvertising: Equatable, Sendable {
    /// The gateway sends no advertising command, except to stop its own advertising.
    case untouched
    case off
    case on(Advertising)

    package var advertising: Advertising? {
        if case .on(let advertising) = self { advertising } else { nil }
    }
}

/// The current advertising, according to the controller's answers.
package struct AdvertisingState: Equatable, Sendable {
    /// `nil` if the gateway does not advertise, or does not know.
    package let advertising: Advertising?
    /// The power that the controller chose, in dBm; `nil` for legacy commands, which do not return it.
    package let txPowerDbm: Int8?

    package init(advertising: Advertising? = nil, txPowerDbm: Int8? = nil) {
        self.advertising = advertising
        self.txPowerDbm = txPowerDbm
    }
}

/// The result of an advertising request.
package enum AdvertisingOutcome: Equatable, Sendable {
    /// The controller has confirmed every command.
    case applied
    case refused(AdvertisingRefusal)
}

/// Why the controller does not advertise as requested.
package struct AdvertisingRefusal: Error, Equatable, Sendable {
    /// The refused command; `nil` if the gateway sent none.
    package let opcode: Opcode?
    package let status: HCIStatus?
    /// Whether a longer interval would help.
    package let concernsInterval: Bool
    /// The cause and the remedy, for an operator.
    package let sentence: String

    package init(opcode: Opcode?, status: HCIStatus?, concernsInterval: Bool, sentence: String) {
        self.opcode = opcode
        self.status = status
        self.concernsInterval = concernsInterval
        self.sentence = sentence
    }

    /// The refusal that LE Supported States predict.
    static let cannotScanWhileAdvertising = AdvertisingRefusal(
        opcode: nil, status: nil, concernsInterval: false,
        sentence: "this controller can't scan and advertise at the same time: use another adapter")

    /// Without an address, the advertising would show 00:00:00:00:00:00.
    static let lacksAddress = AdvertisingRefusal(
        opcode: .leSetRandomAddress, status: nil, concernsInterval: false,
        sentence: "the controller has no public address (00:00:00:00:00:00) and refuses"
            + " LE Set Random Address (0x2005): use another adapter")

    /// The refusal of any advertising that the capabilities predict.
    static func predicted(by capabilities: Capabilities) -> AdvertisingRefusal? {
        if !capabilities.canScanWhileAdvertising { return .cannotScanWhileAdvertising }
        return capabilities.lacksAddress ? .lacksAddress : nil
    }

    /// 4.x controllers refuse shorter intervals for advertising that is neither connectable nor directed (Core 4.2 Vol 2
    /// Part E 7.8.5). The unit is 0.625 ms.
    private static let shortestIntervalBefore5: UInt16 = 0xa0

    /// - Parameters:
    ///   - advertising: the refused parameters, if the command set parameters.
    ///   - isFurtherSet: whether they were those of another than the first advertising set.
    init(
        _ opcode: Opcode, _ status: HCIStatus, parametersOf advertising: Advertising?,
        isFurtherSet: Bool = false
    ) {
        self.opcode = opcode
        self.status = status
        let isShort = advertising.map { $0.interval.units < Self.shortestIntervalBefore5 } ?? false
        concernsInterval = isShort && [.invalidParameters, .unsupportedFeature].contains(status)
        var sentence = "the controller refused \(opcode) with \(status)"
        if concernsInterval {
            sentence +=
                ": controllers before Bluetooth 5.0 allow no interval below 100 ms for non-connectable advertising"
        } else if status == .commandDisallowed {
            sentence +=
                ": another program drives it; stop that (bluetoothd?) or use the user channel"
        } else if isFurtherSet, status == .memoryCapacityExceeded {
            sentence += ": it has too few advertising sets; advertise fewer formats"
        }
        self.sentence = sentence
    }
}

extension AdvertisingRefusal: CustomStringConvertible {
    package var description: String { sentence }
}

/// One command of the sequence that starts or stops advertising.
struct AdvertisingStep: Equatable {
    enum Action: Equatable {
        case disable
        case parameters(Advertising)
        /// The random address of the advertising set. Legacy advertising uses that of the scan.
        case address(DeviceAddress)
        case data(AdvertisedFrame)
        case enable
    }

    /// The gateway's advertising set.
    let set: Int
    let action: Action

    init(set: Int, _ action: Action) {
        self.set = set
        self.action = action
    }

    func command(_ capabilities: Capabilities) -> HCICommand {
        let family = capabilities.family
        return switch action {
        case .disable: .advertisingEnable(false, set: set, family)
        case .parameters(let advertising):
            .advertisingParameters(
                set: set, interval: advertising.interval.units, txPower: advertising.txPowerDbm,
                family, from: capabilities.ownAddressType)
        case .address(let address): .advertisingSetRandomAddress(address, set: set)
        case .data(let frame): .advertisingData(frame.advertisingData, set: set, family)
        case .enable: .advertisingEnable(true, set: set, family)
        }
    }

    func refusal(_ status: HCIStatus, _ capabilities: Capabilities) -> AdvertisingRefusal {
        let advertising: Advertising? =
            if case .parameters(let refused) = action { refused } else { nil }
        return AdvertisingRefusal(
            command(capabilities).opcode, status, parametersOf: advertising,
            isFurtherSet: set > 0 && advertising != nil)
    }
}
