import Beacons
import HCI

/// One command of the sequence that starts or stops advertising.
enum AdvertisingStep: Equatable {
    case disable
    case parameters(Advertising)
    /// The random address of the advertising set. Legacy advertising uses that of the scan.
    case address(DeviceAddress)
    case data(IBeacon)
    case enable

    func command(_ capabilities: Capabilities) -> HCICommand {
        let family = capabilities.family
        return switch self {
        case .disable: .advertisingEnable(false, family)
        case .parameters(let advertising):
            .advertisingParameters(
                interval: advertising.interval.units, txPower: advertising.txPowerDbm, family,
                from: capabilities.ownAddressType)
        case .address(let address): .advertisingSetRandomAddress(address)
        case .data(let beacon): .advertisingData(beacon.advertisingData, family)
        case .enable: .advertisingEnable(true, family)
        }
    }

    func refusal(_ status: HCIStatus, _ capabilities: Capabilities) -> AdvertisingRefusal {
        let advertising: Advertising? =
            if case .parameters(let refused) = self { refused } else { nil }
        return AdvertisingRefusal(command(capabilities).opcode, status, parametersOf: advertising)
    }
}
