import Primitives

/// What an iBeacon advertises: its identity and its calibrated power.
@usableFromInline
package struct IBeacon: Hashable, Sendable {
    @usableFromInline package let identity: BeaconIdentity
    /// The RSSI at one metre, in dBm, as calibrated.
    @usableFromInline package let measuredPower: Int8

    @inlinable @inline(__always)
    package init(identity: BeaconIdentity, measuredPower: Int8) {
        self.identity = identity
        self.measuredPower = measuredPower
    }

    /// The layout of the manufacturer-specific data (Apple, Proximity Beacon Specification R1, 2015).
    private enum Layout {
        /// Apple's company identifier 0x004c little-endian, beacon type 0x02, length 0x15.
        static let prefix: UInt32 = 0x1502_004c
        /// The prefix (4), UUID (16), major (2), minor (2) and measured power (1).
        static let count = 25
        /// LE General Discoverable, BR/EDR and LE on the same device.
        static let flags: UInt8 = 0x1a
    }

    /// The first iBeacon among the AD structures, wherever it stands and whatever follows it; `nil` when there is none.
    package init?(advertisingData bytes: Bytes) throws(AdvertisingData.Malformed) {
        var walk = AdvertisingData()
        while let structure = try walk.next(in: bytes) {
            if let beacon = IBeacon(structure, of: bytes) {
                self = beacon
                return
            }
        }
        return nil
    }

    @inline(__always)
    init?(_ structure: AdvertisingData.Structure, of bytes: Bytes) {
        guard structure.type == ADType.manufacturerSpecificData,
            structure.data.count >= Layout.count
        else { return nil }
        let start = structure.data.lowerBound
        let data = bytes.extracting(start..<start + Layout.count)
        guard data.littleEndian32(at: 0) == Layout.prefix else { return nil }
        self.init(
            identity: BeaconIdentity(
                uuid: ProximityUUID(in: data, at: 4), major: data.bigEndian16(at: 20),
                minor: data.bigEndian16(at: 22)),
            measuredPower: Int8(bitPattern: data[24]))
    }

    @inlinable @inline(__always)
    package var frame: BeaconFrame { BeaconFrame(identity: identity, power: measuredPower) }

    /// How the manufacturer-specific data of each iBeacon begins, as a little-endian number.
    package static let prefix = Layout.prefix
    /// The bytes of an iBeacon's manufacturer-specific data.
    package static let dataCount = Layout.count

    /// The 30 bytes to advertise: the Flags structure, then the manufacturer-specific data.
    package var advertisingData: [UInt8] {
        let prefix = (0..<4).map { UInt8(truncatingIfNeeded: Layout.prefix >> UInt32(8 * $0)) }
        let numbers = [identity.major, identity.minor].flatMap {
            [UInt8($0 >> 8), UInt8($0 & 0xff)]
        }
        var all: [UInt8] = [2, ADType.flags, Layout.flags]
        all.append(UInt8(Layout.count + 1))
        all.append(ADType.manufacturerSpecificData)
        all += prefix
        all += identity.uuid.bytes
        all += numbers
        all.append(UInt8(bitPattern: measuredPower))
        return all
    }
}
