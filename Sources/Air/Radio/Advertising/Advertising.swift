import Beacons
import HCI

/// The parameters of the gateway's own advertising.
package struct Advertising: Equatable, Sendable {
    package let beacon: IBeacon
    package let interval: AdvertisingInterval
    /// The desired transmission power in dBm; `nil` for the controller's choice. Legacy commands have no such parameter.
    package let txPowerDbm: Int8?

    package init(beacon: IBeacon, interval: AdvertisingInterval, txPowerDbm: Int8? = nil) {
        self.beacon = beacon
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
