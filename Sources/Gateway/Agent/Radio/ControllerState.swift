import Beacons
import Contract
import HCI
import Radio

/// The controller's state, as the radio process reports it.
package struct ControllerState: Equatable, Sendable {
    /// Whether the controller accepts requests.
    package var isReady = false
    /// The adapter's address in text form.
    package var address: String?
    package var family: CommandFamily?
    package var advertising = AdvertisingState()
    /// Why the controller does not advertise the settings in force.
    package var failure: String?

    package init() {}

    /// The form of `config/reported`.
    package var reported: ReportedMessage.Radio {
        ReportedMessage.Radio(
            address: address, advertising: advertising.advertising != nil,
            intervalMs: advertising.advertising.map { $0.interval.milliseconds },
            txPowerDbm: advertising.txPowerDbm.map { Int($0) }, commands: family?.rawValue)
    }
}

extension DeviceAddress {
    /// The text form of the gateway's own address. The gateway never writes other addresses.
    var text: String {
        stride(from: 40, through: 0, by: -8).map { shift in
            let byte = String(rawValue >> UInt64(shift) & 0xff, radix: 16)
            return byte.count == 1 ? "0" + byte : byte
        }.joined(separator: ":")
    }
}
