import Beacons
import Primitives

/// Something that a controller advertises, or will when it is switched on.
struct AdvertisingSet: Sendable {
    /// The event properties of the extended commands (Core 5.4 Vol 4 Part E 7.8.53).
    enum Property {
        static let connectable: UInt16 = 1 << 0
        static let scannable: UInt16 = 1 << 1
        static let highDuty: UInt16 = 1 << 3
        static let legacy: UInt16 = 1 << 4
        /// Not the last two, of periodic advertising and others, which are later than 5.0.
        static let known: UInt16 = 0x007f
        /// What a legacy PDU may be: ADV_IND, both ADV_DIRECT_INDs, ADV_SCAN_IND, ADV_NONCONN_IND.
        static let legacyCombinations: Set<UInt16> = [0x13, 0x15, 0x1d, 0x12, 0x10]
    }

    /// By default ADV_IND, as the legacy parameters' defaults are (7.8.5).
    var properties: UInt16 = 0x13
    /// Units of 0.625 ms: 1.28 s.
    var interval: ClosedRange<UInt32> = 0x800...0x800
    var channels: UInt8 = 7
    var ownAddressType: UInt8 = 0
    /// A set's own random address.
    var randomAddress: UInt64?
    /// dBm.
    var txPower: Int8 = 0
    var data: [UInt8] = []
    var scanResponse: [UInt8] = []
    /// Whether a first fragment of the data has come and not the last.
    var isFragmented = false
    var isEnabled = false
    /// When it ends by itself.
    var end: Instant?

    var isLegacy: Bool { properties & Property.legacy != 0 }
}

/// What a controller has on the air: what a test asks about an agent's own beacon.
package struct OnAir: Equatable, Sendable {
    /// The advertising set; `nil` for the legacy commands'.
    package let handle: UInt8?
    /// Event properties as the extended commands have them; 0x10 is ADV_NONCONN_IND.
    package let properties: UInt16
    /// Least and most, in units of 0.625 ms.
    package let interval: ClosedRange<UInt32>
    /// Bits for channels 37, 38, 39.
    package let channels: UInt8
    package let sender: DeviceAddress
    /// dBm.
    package let txPower: Int8
    package let data: [UInt8]
    package let scanResponse: [UInt8]

    /// The unit of intervals (Core 5.4 Vol 4 Part E 7.8.5).
    static let intervalUnit: Duration = .microseconds(625)
}

extension SimulatedController {
    /// All that is being advertised, legacy first, then by handle.
    package var onAir: [OnAir] {
        var all: [(UInt8?, AdvertisingSet)] =
            link.advertising.isEnabled ? [(nil, link.advertising)] : []
        all += link.sets.filter(\.value.isEnabled).sorted { $0.key < $1.key }.map { ($0, $1) }
        return all.map { handle, set in
            let type = set.ownAddressType & 1
            let random = set.randomAddress ?? link.randomAddress ?? 0
            return OnAir(
                handle: handle, properties: set.properties, interval: set.interval,
                channels: set.channels,
                sender: DeviceAddress(
                    address: type == 0 ? configuration.address : random, type: type),
                txPower: handle == nil ? configuration.usualTxPower : set.txPower, data: set.data,
                scanResponse: set.scanResponse)
        }
    }
}
