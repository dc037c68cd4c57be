import Beacons
import HCI

/// One command of the sequence that starts or stops advertising.
enum AdvertisingStep: Equatable {
    case disable
    case parameters(Advertising)
    case data(IBeacon)
    case enable

    func command(_ family: CommandFamily) -> HCICommand {
        switch self {
        case .disable: .advertisingEnable(false, family)
        case .parameters(let advertising):
            .advertisingParameters(
                interval: advertising.interval.units, txPower: advertising.txPowerDbm, family)
        case .data(let beacon): .advertisingData(beacon.advertisingData, family)
        case .enable: .advertisingEnable(true, family)
        }
    }

    func refusal(_ status: HCIStatus, _ family: CommandFamily) -> AdvertisingRefusal {
        let advertising: Advertising? =
            if case .parameters(let refused) = self { refused } else { nil }
        return AdvertisingRefusal(command(family).opcode, status, parametersOf: advertising)
    }
}
