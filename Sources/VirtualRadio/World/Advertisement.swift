import Beacons
import Primitives

/// One advertising packet, as it comes out of a receiver.
package struct Advertisement: Equatable, Sendable {
    /// A legacy advertising PDU, by the number that a legacy report gives it (Core 5.4 Vol 4 Part E 7.7.65.2).
    package enum Kind: UInt8, Sendable {
        case connectable = 0x00
        case scannable = 0x02
        case nonConnectable = 0x03

        /// The bits that an extended report has for it (7.7.65.13): legacy PDU, scannable, connectable.
        package var extendedBits: UInt16 {
            switch self {
            case .connectable: 0x0013
            case .scannable: 0x0012
            case .nonConnectable: 0x0010
            }
        }

        /// The kind with these bits; `nil` for directed advertisements and for extended PDUs.
        init?(properties: UInt16) {
            switch properties {
            case 0x0013: self = .connectable
            case 0x0012: self = .scannable
            case 0x0010: self = .nonConnectable
            default: return nil
            }
        }
    }

    /// On the receiver's timeline.
    package var time: Instant
    package let sender: DeviceAddress
    package let kind: Kind
    /// At most 31 bytes.
    package let data: [UInt8]
    package let rssi: RSSI
    /// The identity in the data, parsed once; `nil` if it is not an iBeacon.
    package let identity: BeaconIdentity?
    /// Bits for channels 37, 38, 39.
    package let channels: UInt8

    package init(
        time: Instant, sender: DeviceAddress, kind: Kind, data: [UInt8], rssi: RSSI,
        identity: BeaconIdentity? = nil, channels: UInt8 = 7
    ) {
        self.time = time
        self.sender = sender
        self.kind = kind
        self.data = data
        self.rssi = rssi
        self.identity = identity
        self.channels = channels
    }
}
