import Primitives

/// What a beacon of any format advertises: its identity and its calibrated power.
@usableFromInline
package struct BeaconFrame: Hashable, Sendable {
    @usableFromInline package let identity: BeaconIdentity
    /// The RSSI at one metre, in dBm, as calibrated.
    @usableFromInline package let power: Int8

    @inlinable @inline(__always)
    package init(identity: BeaconIdentity, power: Int8) {
        self.identity = identity
        self.power = power
    }

    /// The first frame of one of `formats` among the AD structures; `nil` when there is none.
    ///
    /// - Parameter hasEddystone: becomes `true` when another frame of Eddystone stands before it, or alone.
    @inline(__always)
    package init?(
        advertisingData bytes: Bytes, of formats: BeaconFormats, hasEddystone: inout Bool
    ) throws(AdvertisingData.Malformed) {
        var walk = AdvertisingData()
        while let structure = try walk.next(in: bytes) {
            if let frame = BeaconFrame(structure, of: bytes, formats) {
                self = frame
                return
            }
            if Eddystone.isFrame(structure, of: bytes) { hasEddystone = true }
        }
        return nil
    }

    /// The same for one who has no use for other frames.
    package init?(
        advertisingData bytes: Bytes, of formats: BeaconFormats
    ) throws(AdvertisingData.Malformed) {
        var hasEddystone = false
        try self.init(advertisingData: bytes, of: formats, hasEddystone: &hasEddystone)
    }

    /// iBeacons come first: most reports of a store are theirs.
    @inline(__always)
    private init?(
        _ structure: AdvertisingData.Structure, of bytes: Bytes, _ formats: BeaconFormats
    ) {
        switch structure.type {
        case ADType.manufacturerSpecificData:
            if formats.contains(.iBeacon), let beacon = IBeacon(structure, of: bytes) {
                self = beacon.frame
            } else if formats.contains(.altBeacon),
                let beacon = AltBeacon(bytes.extracting(structure.data))
            {
                self = beacon.frame
            } else {
                return nil
            }
        case ADType.serviceData where formats.contains(.eddystoneUID):
            guard let beacon = EddystoneUID(serviceData: bytes.extracting(structure.data)) else {
                return nil
            }
            self = beacon.frame
        default: return nil
        }
    }
}

/// A set of beacon formats.
@usableFromInline
package struct BeaconFormats: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable @inline(__always)
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    @inline(__always)
    package init(_ format: BeaconIdentity.Format) { rawValue = 1 << format.rawValue }

    package init(_ formats: some Sequence<BeaconIdentity.Format>) {
        self = formats.reduce(into: []) { $0.insert(BeaconFormats($1)) }
    }

    /// Whether the format of `identity` is one of them.
    @inlinable @inline(__always)
    package func contains(formatOf identity: BeaconIdentity) -> Bool {
        rawValue & 1 << UInt8(truncatingIfNeeded: identity.rest >> 32) != 0
    }

    package static let iBeacon = BeaconFormats(.iBeacon)
    package static let eddystoneUID = BeaconFormats(.eddystoneUID)
    package static let altBeacon = BeaconFormats(.altBeacon)
    package static let all: BeaconFormats = [.iBeacon, .eddystoneUID, .altBeacon]
}
