import Beacons
import Contract
import HCI
import Radio

/// What the radio thread says of the gateway's own advertising.
package struct ControllerState: Equatable, Sendable {
    /// Whether there is a controller that can be told something.
    package var isReady = false
    /// The adapter's address, as people write it.
    package var address: String?
    package var family: CommandFamily?
    /// What is on the air.
    package var advertising = AdvertisingState()
    /// Why what is in force is not on the air, in a sentence.
    package var trouble: String?

    package init() {}

    /// The same, as `config/reported` has it.
    package var reported: ReportedMessage.Radio {
        ReportedMessage.Radio(
            address: address, advertising: advertising.advertising != nil,
            intervalMs: advertising.advertising.map { $0.interval.milliseconds },
            txPowerDbm: advertising.txPowerDbm.map { Int($0) }, commands: family?.rawValue)
    }
}

extension DeviceAddress {
    /// The adapter's own address as people write it; those of others are never written.
    var text: String {
        stride(from: 40, through: 0, by: -8).map { shift in
            let byte = String(rawValue >> UInt64(shift) & 0xff, radix: 16)
            return byte.count == 1 ? "0" + byte : byte
        }.joined(separator: ":")
    }
}
