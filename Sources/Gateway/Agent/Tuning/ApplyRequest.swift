import Beacons
import Contract
import HCI
import Radio

/// Settings that the radio process applies completely or not at all.
package struct ApplyRequest: Equatable, Sendable {
    package let id: UInt64
    package let settings: GatewaySettings
}

/// The radio process's answer to an `ApplyRequest`. Unless it applied the settings, the earlier ones stay in force.
package struct ApplyResult: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        case applied
        /// The controller rejected a command.
        case refused(AdvertisingRefusal)
        /// There was no controller.
        case postponed
    }

    package let id: UInt64
    package let outcome: Outcome
}

extension DesiredAdvertising {
    /// The advertising that settings demand from the controller.
    package init(_ settings: AdvertiseSettings?) {
        guard let settings else {
            self = .untouched
            return
        }
        // The reader of the settings has checked the interval's range.
        guard let beacon = settings.beacon,
            let interval = AdvertisingInterval(milliseconds: settings.intervalMs)
        else {
            self = .off
            return
        }
        self = .on(
            Advertising(
                beacon: beacon, formats: BeaconFormats(settings.formats), interval: interval,
                txPowerDbm: settings.txPowerDbm))
    }

    /// The advertising of the gateway; `nil` for none.
    var advertising: Advertising? {
        if case .on(let advertising) = self { advertising } else { nil }
    }
}
