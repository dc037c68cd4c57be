import Beacons
import Contract
import HCI
import Radio

/// The controller's state, as the radio process reports it.
package struct ControllerState: Equatable, Sendable {
    /// Whether the controller accepts requests.
    package var isReady = false
    /// The adapter's address, or the random one in its place.
    package var address: DeviceAddress?
    package var family: CommandFamily?
    package var advertising = AdvertisingState()
    /// Why the controller does not advertise the settings in force.
    package var failure: String?

    package init() {}

    /// The form of `config/reported`.
    package var reported: ReportedMessage.Radio {
        ReportedMessage.Radio(
            address: address?.text, advertising: advertising.advertising != nil,
            intervalMs: advertising.advertising.map { $0.interval.milliseconds },
            txPowerDbm: advertising.txPowerDbm.map { Int($0) }, commands: family?.rawValue)
    }
}
