import Beacons
import HCI

/// What a controller is to put on the air.
package struct Advertising: Equatable, Sendable {
    package let beacon: IBeacon
    package let interval: AdvertisingInterval
    /// The transmission power wanted, in dBm; `nil` leaves it to the controller, and so do the legacy commands.
    package let txPowerDbm: Int8?

    package init(beacon: IBeacon, interval: AdvertisingInterval, txPowerDbm: Int8? = nil) {
        self.beacon = beacon
        self.interval = interval
        self.txPowerDbm = txPowerDbm
    }
}

/// What is wished of the controller's advertising.
package enum DesiredAdvertising: Equatable, Sendable {
    /// It is not ours: no command is sent, unless we had something on the air.
    case untouched
    case off
    case on(Advertising)

    /// What is to be on the air.
    var advertising: Advertising? {
        if case .on(let advertising) = self { advertising } else { nil }
    }
}

/// What is on the air, as far as the controller's answers say.
package struct AdvertisingState: Equatable, Sendable {
    /// `nil`: nothing of which we know that it is ours.
    package let advertising: Advertising?
    /// What the controller chose, in dBm; `nil` for the legacy commands, which don't say.
    package let txPowerDbm: Int8?

    package init(advertising: Advertising? = nil, txPowerDbm: Int8? = nil) {
        self.advertising = advertising
        self.txPowerDbm = txPowerDbm
    }
}

/// What came of a wish.
package enum AdvertisingOutcome: Equatable, Sendable {
    /// It is so, by the controller's own answers.
    case applied
    case refused(AdvertisingRefusal)
}
