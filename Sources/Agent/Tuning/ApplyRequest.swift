import Contract
import HCI
import Radio

/// What the radio thread is to bring into force, as a whole or not at all.
package struct ApplyRequest: Equatable, Sendable {
    package let id: UInt64
    package let settings: GatewaySettings

    package init(id: UInt64, settings: GatewaySettings) {
        self.id = id
        self.settings = settings
    }
}

/// What became of an order.
package struct ApplyResult: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        case applied
        /// The controller said no; what was in force still is.
        case refused(AdvertisingRefusal)
        /// There was no controller to ask; what was in force still is.
        case postponed
    }

    package let id: UInt64
    package let outcome: Outcome

    package init(id: UInt64, outcome: Outcome) {
        self.id = id
        self.outcome = outcome
    }
}

extension DesiredAdvertising {
    /// What settings ask of the controller.
    package init(_ settings: AdvertiseSettings?) {
        guard let settings else {
            self = .untouched
            return
        }
        // The range has been checked where the settings were read.
        guard let beacon = settings.beacon,
            let interval = AdvertisingInterval(milliseconds: settings.intervalMs)
        else {
            self = .off
            return
        }
        self = .on(
            Advertising(beacon: beacon, interval: interval, txPowerDbm: settings.txPowerDbm))
    }

    /// What is to be on the air; `nil` for nothing of ours.
    var advertising: Advertising? {
        if case .on(let advertising) = self { advertising } else { nil }
    }
}
